"""LLM providers: what each is called and which variables hold its keys."""
