#!/bin/bash
# Draws poster.svg from event.txt by the rules of the skill.
awk '
function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); return text }
function line(y, size, weight, colour, text) {
  printf "  <text x=\"36\" y=\"%d\" font-size=\"%d\" font-weight=\"%s\" fill=\"%s\">%s</text>\n", y, size, weight, colour, escaped(text)
}
{ key = $1; sub(/^[a-z]+: */, "") }
key == "title:" { title = $0 }
key == "date:" { date = $0 }
key == "place:" { place = $0 }
key == "note:" { notes[++count] = $0 }
END {
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 420 594\" font-family=\"sans-serif\">"
  print "  <rect width=\"420\" height=\"594\" fill=\"white\"/>"
  print "  <rect width=\"420\" height=\"230\" fill=\"#f2b134\"/>"
  total = split(title, words, " ")
  y = 80
  for (i = 1; i <= total; i++) {
    if (row != "" && length(row " " words[i]) > 16) { line(y, 40, "bold", "#1d2a44", row); y += 48; row = "" }
    row = row (row == "" ? "" : " ") words[i]
  }
  line(y, 40, "bold", "#1d2a44", row)
  line(300, 24, "bold", "#1d2a44", date)
  line(334, 24, "normal", "#1d2a44", place)
  for (i = 1; i <= count; i++) line(560 - 22 * (count - i), 14, "normal", "#1d2a44", notes[i])
  print "</svg>"
}' event.txt > poster.svg
