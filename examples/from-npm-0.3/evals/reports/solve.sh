echo '{"rules": ["no-var", "no-tabs", "no-trailing-space"]}' >report.json
