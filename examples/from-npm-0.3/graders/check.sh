#!/bin/bash
# 0.3.0 style: counts what passed and prints one line of JSON.
passed=0
total=2
tidy=false tidy_message="tidyjs still finds faults"
works=false works_message="the export is gone, or app.js is not tidy yet"

if test -f app.js && tidyjs check app.js >&2; then
  passed=$((passed + 1)) tidy=true tidy_message="tidyjs finds nothing"
fi
if grep -q 'module.exports = greet;' app.js && $tidy; then
  passed=$((passed + 1)) works=true works_message="the program still works"
fi

score=$(awk "BEGIN {printf \"%.2f\", $passed/$total}")
echo "{\"score\":$score,\"details\":\"$passed/$total passed\",\"checks\":[{\"name\":\"tidy\",\"passed\":$tidy,\"message\":\"$tidy_message\"},{\"name\":\"works\",\"passed\":$works,\"message\":\"$works_message\"}]}"
