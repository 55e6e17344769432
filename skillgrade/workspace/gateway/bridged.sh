# Starts a relay to the gateway, then becomes a program. Arguments: the relay for Node.js, the relay for Python, the
# gateway's socket, the relay's port, the program and its arguments.
if type -P node >/dev/null; then
  relay=(node -e "$1" --)
elif type -P python3 >/dev/null; then
  relay=(python3 -I -c "$2")
else
  echo 'network: none leaves an agent only its model, and the way there needs node or python3, which the image lacks' >&2
  exit 126
fi
# In the background of a shell that ends at once, so that it is no child of the program, which could wait for it.
exec {said}< <(env -i PATH="$PATH" "${relay[@]}" "$3" "$4" </dev/null 2>/dev/null &)
read -r -t 30 -u "$said" answer
exec {said}<&-
if [ "$answer" != ready ]; then
  echo 'network: none leaves an agent only its model, and the relay that leads there did not start' >&2
  exit 126
fi
exec -- "${@:5}"
