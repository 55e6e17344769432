"""Errors are whole wherever they go."""

from __future__ import annotations

import pickle

from skillgrade.errors import GraderError, MissingKeyError, ModelError, Stage


def test_a_model_error_survives_pickling() -> None:
    for kind in (ModelError, MissingKeyError):
        error = pickle.loads(
            pickle.dumps(kind("why", Stage.SETUP, status=429, transient=True, retry_after=2.5, calls=3))
        )
        assert type(error) is kind
        assert str(error) == "why"
        assert (error.stage, error.status, error.transient) == (Stage.SETUP, 429, True)
        assert (error.retry_after, error.calls) == (2.5, 3)


def test_any_infrastructure_error_keeps_its_stage() -> None:
    error = pickle.loads(pickle.dumps(GraderError("why", Stage.COLLECT)))
    assert (type(error), str(error), error.stage) == (GraderError, "why", Stage.COLLECT)
