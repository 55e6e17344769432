echo '{"result": "4.83 km"}' >answer.json
