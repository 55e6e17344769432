"""One module per grader type, and the dict that names them."""
