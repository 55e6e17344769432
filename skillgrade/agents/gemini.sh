# Becomes Gemini CLI ($0) with settings of its own, unless the home has some: most of them have no option and no
# variable. Arguments: the settings, then those of Gemini CLI.
settings=$HOME/.gemini/settings.json
mkdir -p -- "${settings%/*}" && { [ -e "$settings" ] || printf %s "$1" >"$settings"; } || exit
shift
exec -- "$0" "$@"
