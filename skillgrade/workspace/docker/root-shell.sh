# What skillgrade itself does in a container, for as long as it has something to do: one process, since starting one is
# what costs most. Argument: "kill" to begin by ending everything else. Requests come on stdin, each answered by one
# line before the next is sent. Words are separated by NUL bytes, which no path and no argument can hold.
#   clear COUNT   pairs of a root and a path below it: remove what is there, or in the way, never following a link;
#                 answers with the numbers, from 0, of the pairs at which something was
#   unpack SIZE   a tar archive of that many bytes, to be unpacked at /
#   run COUNT     a marker, a folder, how many variables follow, NAME=VALUE of each, a program and its arguments: becomes
#                 that program in that folder; the marker on stderr means that it could not be started
clear_way() {
  local number=0 root path at rest found
  while [ $# -gt 0 ]; do
    root=$1 path=$2 at=$1 rest=$2 found=''
    shift 2
    while [ "$rest" != "${rest#*/}" ]; do
      at=$at/${rest%%/*} rest=${rest#*/}
      if [ -L "$at" ] || { [ -e "$at" ] && [ ! -d "$at" ]; }; then
        rm -f -- "$at" || return 1
        found=yes
      fi
    done
    if [ -L "$root/$path" ] || [ -e "$root/$path" ]; then
      rm -rf -- "$root/$path" || return 1
      found=yes
    fi
    if [ -n "$found" ]; then printf ' %s' "$number"; fi
    number=$((number + 1))
  done
}

[ "$1" = kill ] && kill -9 -1
echo ready
while read -r request count; do
  case $request in
    clear)
      mapfile -d '' -n "$count" words
      printf cleared
      clear_way "${words[@]}" || printf ' failed'
      echo
      ;;
    unpack)
      # The rest is read in any case: whatever an unpacking leaves would be taken for a request.
      if head -c "$count" | { tar -xpf - -C / 2>/dev/null; code=$?; cat >/dev/null; exit "$code"; }; then
        echo unpacked
      else
        echo failed
      fi
      ;;
    run)
      mapfile -d '' -n "$count" words
      set -- "${words[@]}"
      marker=$1 folder=$2 count=$3
      shift 3
      unset words
      while [ "$count" -gt 0 ]; do
        export -- "$1"
        shift
        count=$((count - 1))
      done
      shopt -s execfail
      cd -- "$folder" && unset OLDPWD && command -v -- "$1" >/dev/null 2>&1 && exec -- "$@" </dev/null
      printf %s "$marker" >&2
      exit 127
      ;;
  esac
done
