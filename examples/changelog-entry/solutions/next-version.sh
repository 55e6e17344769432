echo '{"version": "1.5.0"}' >answer.json
