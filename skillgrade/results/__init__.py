"""What came out: records, run folder, journal, redaction, statistics."""
