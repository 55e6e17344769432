#!/usr/bin/env bash
# Scores the workspace, which is the current folder, and prints one JSON object.
# SKILLGRADE_INPUT holds the task, the trial, `expected` and `metadata` as JSON. Other output belongs on stderr.

checks=""
passed=0
total=0

check() { # NAME MESSAGE COMMAND...
  local name="$1" message="$2" held=false
  shift 2
  total=$((total + 1))
  if "$@" >&2; then
    held=true
    passed=$((passed + 1))
  fi
  checks="$checks${checks:+,}{\"name\":\"$name\",\"passed\":$held,\"message\":\"$message\"}"
}

is_sorted() { [ -f sorted.txt ] && LC_ALL=C sort -c sorted.txt; }
is_complete() { [ -f sorted.txt ] && diff <(LC_ALL=C sort -u names.txt) <(LC_ALL=C sort -u sorted.txt); }
has_no_doubles() { [ -s sorted.txt ] && [ -z "$(LC_ALL=C sort sorted.txt | uniq -d)" ]; }

check sorted "sorted.txt is in alphabetical order" is_sorted
check complete "sorted.txt has the names of names.txt" is_complete
check unique "sorted.txt has each name once" has_no_doubles

score=$(awk "BEGIN { printf \"%.2f\", $passed / $total }")
echo "{\"score\":$score,\"details\":\"$passed of $total checks passed\",\"checks\":[$checks]}"
