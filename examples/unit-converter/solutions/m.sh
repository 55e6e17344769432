echo '{"result": "6.56 foot"}' >answer.json
