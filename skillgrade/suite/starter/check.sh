#!/usr/bin/env bash
# Scores the workspace, which is the current folder, and prints one JSON object.
# SKILLGRADE_INPUT holds the task, the trial, `expected` and `metadata` as JSON. Other output belongs on stderr.

checks=""
passed=0
total=0

check() { # NAME COMMAND...: the command prints what it found, and succeeds if that is right
  local name="$1" message held=false
  shift
  total=$((total + 1))
  if message=$("$@"); then
    held=true
    passed=$((passed + 1))
  fi
  checks="$checks${checks:+,}{\"name\":\"$name\",\"passed\":$held,\"message\":\"$message\"}"
}

# Messages are put into JSON as they are: they count and number lines, and quote nothing that the agent wrote.

has_lines() {
  [ -f sorted.txt ] || { echo "there is no file sorted.txt"; return 1; }
  [ -s sorted.txt ] || { echo "sorted.txt is empty"; return 1; }
}

is_sorted() {
  local line
  has_lines || return 1
  line=$(LC_ALL=C awk '$0 "" < before "" { print NR; exit } { before = $0 }' sorted.txt)
  [ -z "$line" ] || { echo "line $line of sorted.txt belongs above the one before it"; return 1; }
  echo "sorted.txt is in alphabetical order"
}

is_complete() {
  local missing surplus
  has_lines || return 1
  [ -f names.txt ] || { echo "names.txt is gone, so there is nothing to compare with"; return 1; }
  missing=$(LC_ALL=C comm -23 <(LC_ALL=C sort -u names.txt) <(LC_ALL=C sort -u sorted.txt) | wc -l)
  surplus=$(LC_ALL=C comm -13 <(LC_ALL=C sort -u names.txt) <(LC_ALL=C sort -u sorted.txt) | wc -l)
  echo "names of names.txt that sorted.txt lacks: $((missing)); names of its own: $((surplus))"
  [ "$missing" -eq 0 ] && [ "$surplus" -eq 0 ]
}

has_no_doubles() {
  local doubles
  has_lines || return 1
  doubles=$(LC_ALL=C sort sorted.txt | uniq -d | wc -l)
  echo "names that stand in sorted.txt more than once: $((doubles))"
  [ "$doubles" -eq 0 ]
}

check sorted is_sorted
check complete is_complete
check unique has_no_doubles

score=$(awk "BEGIN { printf \"%.2f\", $passed / $total }")
echo "{\"score\":$score,\"details\":\"$passed of $total checks passed\",\"checks\":[$checks]}"
