"""Which variables hold the keys and addresses of LLM providers."""

from __future__ import annotations

KEY_NAMES = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "openai": ("OPENAI_API_KEY",),
}
"""The variables that hold API keys, by provider."""

TOKEN_NAMES = frozenset({"ANTHROPIC_AUTH_TOKEN"})
"""Those of them that hold a token, which goes into another header than a key."""

URL_NAMES = {
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
}
"""The variable that holds the address of another endpoint, by provider."""

OWN_URLS = {
    "gemini": "https://generativelanguage.googleapis.com",
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
}
"""Where a provider itself is reached."""

MODEL_NAMES = {"gemini": "GEMINI_MODEL", "anthropic": "ANTHROPIC_MODEL", "openai": "OPENAI_MODEL"}
"""The variable that names the model, by provider."""
