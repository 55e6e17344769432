"""What helps the author of a skill or an eval: the specification of skills, and what is easily overlooked in evals."""
