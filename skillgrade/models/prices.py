"""What requests cost, by the price list of the `genai-prices` package where that is installed."""

from __future__ import annotations

import math
from collections.abc import Mapping

_PROVIDERS = {"gemini": "google", "anthropic": "anthropic", "openai": "openai"}
"""By our names, those of the price list."""


def cost_usd(provider: str, model: str, tokens: Mapping[str, int] | None) -> float | None:
    """What a reply cost, in US dollars; nothing is downloaded.

    Args:
        provider: A key of `skillgrade.models.CLIENTS`.
        model: The model that answered.
        tokens: As in `ModelReply.tokens`.

    Returns:
        The price; None where the model, its price, the tokens or the package is not known.
    """
    if tokens is None or not {"input", "output"} <= tokens.keys():
        return None
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    usage = Usage(
        input_tokens=tokens["input"], cache_read_tokens=tokens.get("cached_input", 0), output_tokens=tokens["output"]
    )
    try:
        price = float(calc_price(usage, model, provider_id=_PROVIDERS[provider]).total_price)
    except (LookupError, ValueError):
        return None
    return price if math.isfinite(price) else None
