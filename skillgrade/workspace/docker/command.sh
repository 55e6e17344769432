# Becomes a program that reads from a file. Arguments: the file ("-" for what this reads itself), a marker, the program
# and its arguments.
# The marker on stderr means that the program could not be started; an exit code alone could be the program's own.
shopt -s execfail
if command -v -- "$3" >/dev/null 2>&1; then
  [ "$1" = - ] || exec <"$1"
  exec -- "${@:3}"
fi
printf %s "$2" >&2
exit 127
