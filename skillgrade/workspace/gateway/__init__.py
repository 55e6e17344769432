"""The one way out of a workspace without a network: to its agent's model, and nowhere else."""
