# After the last turn: is the raincoat on the list, and is the rest still there?
rain=false rest=false score=0
grep -qx -- '- 1 raincoat' list.md 2>/dev/null && rain=true
[ "$(head -1 list.md 2>/dev/null)" = "- 4 shirt" ] && rest=true
[ $rain = true ] && score=0.5
[ $rain = true ] && [ $rest = true ] && score=1
printf '{"score": %s, "details": "after the rain", "checks": [
  {"name": "raincoat", "passed": %s}, {"name": "rest-stays", "passed": %s}]}\n' $score $rain $rest
