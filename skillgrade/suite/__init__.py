"""What to run: eval.yaml to `Suite`."""
