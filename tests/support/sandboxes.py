"""Helpers for tests that use real sandboxes."""

from __future__ import annotations

from dataclasses import replace

from skillgrade.workspace.bubblewrap.binary import Bubblewrap, find_bubblewrap
from skillgrade.workspace.bubblewrap.provider import BubblewrapProvider


def found() -> Bubblewrap:
    """This machine's bubblewrap; tests with the marker `bubblewrap` run only where there is one."""
    bwrap = find_bubblewrap()
    assert isinstance(bwrap, Bubblewrap)
    return bwrap


def provider_without_overlays() -> BubblewrapProvider:
    """A provider as on a machine whose bubblewrap, kernel or file system cannot overlay folders."""
    return BubblewrapProvider(lambda: replace(found(), has_overlays=False))
