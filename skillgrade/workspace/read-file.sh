# Prints the beginning of a regular file, following no link out of the workspace.
# Arguments: the workspace, a path relative to it, the number of bytes. Exit code 3: there is no such file.
# The dot keeps newlines at the end of a name, which a substitution would cut.
path=$(readlink -f -- "$1/$2" && echo .) || exit 3
path=${path%$'\n.'}
case $path in "$1"/*) ;; *) exit 3 ;; esac
[ -f "$path" ] || exit 3
exec head -c "$3" -- "$path"
