#!/bin/bash
# A stand-in for an agent, so that the example needs no API key: the instruction comes on stdin, the work is done in the
# current folder. It follows the table of the skill, like an agent that skims; the rule about "!" below the table it
# overlooks, which one of the tasks finds out. Without the skill it does not know the table and gets most things wrong.
set -eu
instruction=$(cat)
skill=$(ls .agents/skills/*/SKILL.md 2>/dev/null || true)

table() {
  [ -z "$skill" ] || awk -F' *[|] *' '/^[|] [a-z]+ [|]/ && $2 != "type" { print $2, $3, $4 }' "$skill"
}

# SECTION<tab>TEXT for each commit that the table knows.
entries() {
  table | awk '
    NR == FNR { section[$1] = $2; next }
    {
      type = $0; sub(/!?:.*/, "", type)
      text = $0; sub(/^[^:]*: */, "", text)
      if (type in section) print section[type] "\t" toupper(substr(text, 1, 1)) substr(text, 2) "."
    }' - commits.txt
}

unreleased() {
  echo '## [Unreleased]'
  for section in Added Changed Fixed Security; do
    entries | awk -F'\t' -v section="$section" '
      $1 == section { if (!seen++) print "\n### " section "\n"; print "- " $2 }'
  done
  echo
}

next_version() {
  bumps=$(table | awk 'NR == FNR { bump[$1] = $3; next } { sub(/!?:.*/, ""); print bump[$0] }' - commits.txt)
  case $bumps in
    *minor*) awk -F. '{ print $1 "." $2 + 1 ".0" }' VERSION ;;
    *) awk -F. '{ print $1 "." $2 "." $3 + 1 }' VERSION ;;
  esac
}

case $instruction in
  *answer.json*) printf '{"version": "%s"}\n' "$(next_version)" >answer.json ;;
  *counts.json*) entries | awk -F'\t' '
      { count[$1]++ }
      END { for (name in count) list = list (list ? ", " : "") "\"" name "\": " count[name]; print "{" list "}" }' >counts.json ;;
  *)
    unreleased >.unreleased
    awk '/^## / && !done { while ((getline line < ".unreleased") > 0) print line; done = 1 } { print }' CHANGELOG.md >.new
    mv .new CHANGELOG.md
    rm .unreleased
    ;;
esac
echo "Done, following ${skill:-no skill, as there is none here}."
