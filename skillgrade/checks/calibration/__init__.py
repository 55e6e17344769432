"""Can judges be trusted? Canned answers whose verdicts are known, put to them live or looked up in a recording."""
