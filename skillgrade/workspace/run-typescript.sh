# Runs the TypeScript file $1 with the first runner there is; the rest of the arguments go to it.
script=$1
shift
for runner in ./node_modules/.bin/tsx tsx ./node_modules/.bin/ts-node ts-node; do
  if command -v "$runner" >/dev/null 2>&1; then exec "$runner" "$script" "$@"; fi
done
# Node strips types by itself from 22.6 on, with a flag until 22.18; its own answer says whether this build can.
if node --experimental-strip-types --no-warnings -e '' >/dev/null 2>&1; then
  exec node --experimental-strip-types --no-warnings "$script" "$@"
fi
echo "skillgrade: nothing here runs TypeScript: install tsx (setup: npm install --global tsx) or use Node 22.6 or newer" >&2
exit 127
