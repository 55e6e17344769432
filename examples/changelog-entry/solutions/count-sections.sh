echo '{"Added": 2, "Fixed": 1}' >counts.json
