"""Trials in sandboxes without a daemon."""
