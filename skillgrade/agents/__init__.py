"""Who does the work: one adapter per agent, and the dict that names them."""
