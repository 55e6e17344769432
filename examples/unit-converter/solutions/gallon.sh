echo '{"result": "9.46 l"}' >answer.json
