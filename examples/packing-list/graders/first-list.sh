# After the first turn: did the agent ask, and is the list for the right number of nights?
nights=$(sed -n 's/.*"nights": *\([0-9]*\).*/\1/p' <<<"$SKILLGRADE_INPUT")
transcript=$(sed -n 's/.*"transcript": *"\([^"]*\)".*/\1/p' <<<"$SKILLGRADE_INPUT")
asked=false right=false score=0
grep -qi 'how many nights' "$transcript" && asked=true
grep -qx -- "- $((nights + 1)) shirt" list.md 2>/dev/null && right=true
[ $asked = true ] && score=0.5
[ $asked = true ] && [ $right = true ] && score=1
printf '{"score": %s, "details": "for %s nights", "checks": [
  {"name": "asked", "passed": %s}, {"name": "right-number", "passed": %s}]}\n' $score "$nights" $asked $right
