echo '{"result": "68.04 kg"}' >answer.json
