"""The run: plan, trials, verdicts."""
