# Runs an agent that talks on its standard streams, and ends it with its whole group soon after its input has ended:
# some go on, or leave what they started. The agent is a command line for bash, in $0, where a sandbox sees its program.
exec {input}< <(exec cat)
feeder=$!
set -m # the agent gets a process group of its own
bash -c "$0" <&"$input" &
agent=$!
set +m
exec {input}<&-
while kill -0 "$feeder" 2>/dev/null && kill -0 "$agent" 2>/dev/null; do sleep 0.05; done
for _ in {1..40}; do
  kill -0 "$agent" 2>/dev/null || break
  sleep 0.05
done
kill -KILL -- "-$agent" "$feeder" 2>/dev/null
wait "$agent" 2>/dev/null
