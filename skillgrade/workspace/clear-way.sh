# Removes what is in the way of files that are about to be put in, never following a link. Arguments: pairs of a root
# and a path below it. Prints the number, from 0, of each pair at which something was in the way.
number=0
while [ $# -gt 0 ]; do
  root=$1 path=$2 at=$1 rest=$2 found=''
  shift 2
  while [ "$rest" != "${rest#*/}" ]; do
    at=$at/${rest%%/*} rest=${rest#*/}
    if [ -L "$at" ] || { [ -e "$at" ] && [ ! -d "$at" ]; }; then
      rm -f -- "$at" || exit 1
      found=yes
    fi
  done
  if [ -L "$root/$path" ] || [ -e "$root/$path" ]; then
    rm -rf -- "$root/$path" || exit 1
    found=yes
  fi
  if [ -n "$found" ]; then echo "$number"; fi
  number=$((number + 1))
done
