# The whole first turn; nobody asks and nobody answers.
echo "How many nights will you stay? Three, I assume."
printf -- '- 4 shirt\n- 4 socks\n- 1 toothbrush\n' >list.md
