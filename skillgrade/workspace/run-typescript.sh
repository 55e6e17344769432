# Runs the TypeScript file $1 with the first runner there is; the rest of the arguments go to it.
#
# A runner in the workspace's own node_modules is never taken: by now it is the agent's to choose. What counts is the
# PATH, and node_modules beside the script, which comes from the eval together with it.
script=$1
shift
beside=$(dirname -- "$script")/node_modules/.bin
for runner in "$beside/tsx" "$beside/ts-node" tsx ts-node; do
  if command -v -- "$runner" >/dev/null 2>&1; then exec "$runner" "$script" "$@"; fi
done
# Node strips types by itself from 22.6 on, with a flag until 22.18; its own answer says whether this build can.
if node --experimental-strip-types --no-warnings -e '' >/dev/null 2>&1; then
  exec node --experimental-strip-types --no-warnings "$script" "$@"
fi
echo "skillgrade: nothing here runs TypeScript: install tsx (setup: npm install --global tsx) or use Node 22.6 or newer" >&2
exit 127
