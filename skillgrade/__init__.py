"""skillgrade: does an agent skill work, how often, and how sure are we?"""

from __future__ import annotations

__version__ = "0.1.0"
