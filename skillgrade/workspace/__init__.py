"""Where trials run: one module per provider, and the dict that names them."""
