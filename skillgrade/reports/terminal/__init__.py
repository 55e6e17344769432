"""What a person at a terminal sees: progress, summaries, lists."""
