#!/bin/bash
# Grades a task by what stands in CHANGELOG.md: one check for each thing that has to be true.
#
# Only bash, grep and awk: node:20-slim has no bc for arithmetic and no jq.

passed=0
total=0
checks=

# check NAME MESSAGE COMMAND...: the check passes when the command succeeds. Names and messages here need no JSON escaping.
check() {
  local name=$1 message=$2 verdict=false
  shift 2
  total=$((total + 1))
  if "$@" >&2; then
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
    inside && /^- / { print substr($0, 3) }' CHANGELOG.md 2>/dev/null
}

has_entry() { section "$1" | grep -Fxq -- "$2"; }

# The next two ask for the new heading as well: without it they would hold of a file that nobody touched.
has_heading() { grep -Fxq '## [Unreleased]' CHANGELOG.md; }
leaves_out_the_rest() { has_heading && ! grep -Eiq 'build image|explain the settings' CHANGELOG.md; }
keeps_the_last_release() {
  has_heading && grep -Fxq '## [1.4.2] - 2026-03-02' CHANGELOG.md && grep -q 'trailing comma' CHANGELOG.md
}

check csv-export 'Added: Export reports as CSV.' has_entry Added 'Export reports as CSV.'
check dark-theme 'Added: Dark theme.' has_entry Added 'Dark theme.'
check cursor 'Fixed: Keep the cursor in place when a file is reloaded.' has_entry Fixed 'Keep the cursor in place when a file is reloaded.'
check users-only 'chore and docs are left out' leaves_out_the_rest
check history 'the release 1.4.2 is unchanged' keeps_the_last_release

score=$(awk -v passed="$passed" -v total="$total" 'BEGIN { printf "%.2f", passed / total }')
echo "{\"score\": $score, \"details\": \"$passed of $total checks passed\", \"checks\": [$checks]}"
