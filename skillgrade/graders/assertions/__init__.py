"""The assertions grader: checks on what was kept of a trial, without a model."""

from __future__ import annotations

from skillgrade.graders.assertions.checking import CHECKS, check_assertions, share
from skillgrade.graders.assertions.grader import AssertionsGrader
from skillgrade.graders.assertions.searching import keeping_workers
from skillgrade.graders.assertions.subjects import Subjects

__all__ = ["CHECKS", "AssertionsGrader", "Subjects", "check_assertions", "keeping_workers", "share"]
