"""The verdict of an LLM: what it is asked, how its reply is read, where it comes from."""
