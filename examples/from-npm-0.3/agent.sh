#!/bin/bash
# A stand-in for an agent: reads the instruction on stdin and follows the three steps of the skill.
case $(cat) in
  *report.json*) tidyjs check app.js | awk -F': ' '
      { list = list (NR > 1 ? ", " : "") "\"" $2 "\"" }
      END { print "{\"rules\": [" list "]}" }' >report.json ;;
  *) tidyjs check app.js; tidyjs fix app.js && tidyjs check app.js ;;
esac
