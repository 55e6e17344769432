"""May a pack of skills be released? The evidence that lies in it, against a policy and the files as they are now."""
