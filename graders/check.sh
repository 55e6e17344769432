#!/bin/bash
# Grades a task by what stands in CHANGELOG.md: one check for each thing that has to be true.
#
# Only bash, grep and awk: node:20-slim has no bc for arithmetic and no jq.

passed=0
total=0
checks=

# check NAME COMMAND...: the command prints what it found, and succeeds if that is right.
# What it prints goes into JSON as it is: it counts and names lines, and quotes nothing that the agent wrote.
check() {
  local name=$1 message verdict=false
  shift
  total=$((total + 1))
  if message=$("$@"); then
    passed=$((passed + 1))
    verdict=true
  fi
  checks+="${checks:+, }{\"name\": \"$name\", \"passed\": $verdict, \"message\": \"$message\"}"
}

# Prints the entries of one section of the unreleased changes.
section() {
  awk -v wanted="### $1" '
    /^## / { unreleased = ($0 == "## [Unreleased]"); inside = 0 }
    /^### / { inside = (unreleased && $0 == wanted); next }
    inside && /^- / { print substr($0, 3) }' CHANGELOG.md
}

# The checks ask for the new heading first: without it some of them would hold of a file that nobody touched.
has_heading() {
  [ -f CHANGELOG.md ] || { echo 'there is no file CHANGELOG.md'; return 1; }
  grep -Fxq '## [Unreleased]' CHANGELOG.md || { echo 'CHANGELOG.md has no heading ## [Unreleased]'; return 1; }
}

has_entry() {
  has_heading || return 1
  section "$1" | grep -Fxq -- "$2" && { echo "$1 has: $2"; return 0; }
  echo "$1 has $(section "$1" | grep -c '') entries, none of them is: $2"
  return 1
}

leaves_out_the_rest() {
  local line
  has_heading || return 1
  line=$(grep -Ein 'build image|explain the settings' CHANGELOG.md | awk -F: 'NR == 1 { print $1 }')
  [ -z "$line" ] || { echo "line $line is a chore or docs, which should be left out"; return 1; }
  echo 'chore and docs are left out'
}

keeps_the_last_release() {
  has_heading || return 1
  grep -Fxq '## [1.4.2] - 2026-03-02' CHANGELOG.md || { echo 'the heading ## [1.4.2] - 2026-03-02 is gone'; return 1; }
  grep -q 'trailing comma' CHANGELOG.md || { echo 'the entry of 1.4.2 on a trailing comma is gone'; return 1; }
  echo 'the release 1.4.2 is unchanged'
}

check csv-export has_entry Added 'Export reports as CSV.'
check dark-theme has_entry Added 'Dark theme.'
check cursor has_entry Fixed 'Keep the cursor in place when a file is reloaded.'
check users-only leaves_out_the_rest
check history keeps_the_last_release

score=$(awk -v passed="$passed" -v total="$total" 'BEGIN { printf "%.2f", passed / total }')
echo "{\"score\": $score, \"details\": \"$passed of $total checks passed\", \"checks\": [$checks]}"
