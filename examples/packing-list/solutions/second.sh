echo '- 1 raincoat' >>list.md
