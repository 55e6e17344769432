echo '{"result": "3.11 mile"}' >answer.json
