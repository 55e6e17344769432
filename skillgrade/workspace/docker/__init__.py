"""Trials in containers."""
