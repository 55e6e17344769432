"""Does a run's record add up? Every recorded number is derived once more, from what it was made of."""
