# Becomes a program that reads from a file. Arguments: the file, a marker, the program and its arguments.
# The marker on stderr means that the program could not be started; an exit code alone could be the program's own.
shopt -s execfail
command -v -- "$3" >/dev/null 2>&1 && exec -- "${@:3}" <"$1"
printf %s "$2" >&2
exit 127
