echo '{"result": "3.05 m"}' >answer.json
