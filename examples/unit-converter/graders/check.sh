# One grader for all rows: the right answer is in the row.
wanted=$(sed -n 's/.*"answer": *"\([^"]*\)".*/\1/p' <<<"$SKILLGRADE_INPUT")
given=$(sed -n 's/.*"result": *"\([^"]*\)".*/\1/p' answer.json 2>/dev/null)
score=0
[ "$given" = "$wanted" ] && score=1
printf '{"score": %s, "details": "%s, wanted %s"}\n' $score "${given:-no answer}" "$wanted"
