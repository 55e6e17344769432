"""Trials bare on the host."""
