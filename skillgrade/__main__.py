"""`python -m skillgrade`."""

from __future__ import annotations

from skillgrade.cli.main import main

main()
