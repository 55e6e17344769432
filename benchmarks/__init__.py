"""What skillgrade costs beside the same work done by hand: ``python -m benchmarks``."""
