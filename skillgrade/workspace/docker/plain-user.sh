# Makes sure of a plain user, its home and the workspace. Arguments: the user's uid, the uid that owns the workspace.
# Only what any POSIX shell and coreutils have: useradd and adduser are missing from many images.
set -e
name='' home=''
while IFS=: read -r entry _ uid _ _ folder _; do
  if [ "$uid" = "$1" ]; then name=$entry home=$folder; break; fi
done </etc/passwd
if [ -z "$name" ]; then
  name=agent home=/home/agent
  while IFS=: read -r entry _; do
    if [ "$entry" = agent ]; then name=skillgrade home=/home/skillgrade; fi
  done </etc/passwd
  echo "$name:x:$1:$1::$home:/bin/sh" >>/etc/passwd
  echo "$name:x:$1:" >>/etc/group
fi
if [ -n "$home" ] && [ "$home" != / ]; then
  mkdir -p "$home"
  chown "$1:$1" "$home"
fi
mkdir -p /workspace /run/skillgrade
chown -R "$2:$2" /workspace
