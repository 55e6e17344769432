#!/bin/bash
# Is there a poster, and does it say everything? A text may be broken over several elements.
passed=0
checks=()

# check NAME COMMAND...: the command prints what it found, and succeeds if that is right.
check() {
  local name=$1 message verdict=false
  shift
  if message=$("$@"); then passed=$((passed + 1)) verdict=true; fi
  checks+=("{\"name\": \"$name\", \"passed\": $verdict, \"message\": \"$message\"}")
}

is_drawing() {
  [ -f poster.svg ] || { echo 'there is no poster.svg'; return 1; }
  head -c 4096 poster.svg | grep -q '<svg' || { echo 'poster.svg is no SVG'; return 1; }
  echo 'poster.svg is an SVG'
}

# What stands on the poster, in one line.
words() { [ -f poster.svg ] && sed 's/<[^>]*>/ /g' poster.svg | tr -s '[:space:]' ' '; }

says() {
  words | grep -qF "$1" || { echo 'it is not on the poster'; return 1; }
  echo 'it is on the poster'
}

check drawing is_drawing
while read -r text; do
  check "$text" says "$text"
done <graders/texts.txt # and not event.txt, which the agent may have changed

score=$(awk -v passed="$passed" -v total="${#checks[@]}" 'BEGIN { printf "%.2f", passed / total }')
list=$(IFS=,; echo "${checks[*]}")
echo "{\"score\": $score, \"details\": \"$passed of ${#checks[@]} checks passed\", \"checks\": [$list]}"
