"""The pages on which people review trials."""
