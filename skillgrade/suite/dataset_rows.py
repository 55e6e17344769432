"""Which rows of a dataset become tasks: those that a condition lets through, and of these a sample."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from skillgrade.errors import Problem, SuiteError
from skillgrade.suite.dataset_files import DataRow


def sampled(rows: Sequence[DataRow], size: int, seed: int, stratify: str | None = None) -> list[DataRow]:
    """Draw rows, in the order of the file; the same for the same seed, in every version of Python.

    Rows are ranked by a hash of seed and number, so that a row which is added to the end changes little, and a larger
    sample holds every smaller one of the same seed; not with strata, whose shares may shrink as the whole grows.

    Args:
        rows: What to draw from.
        size: How many; all of them where there are fewer.
        seed: Another seed draws other rows.
        stratify: A column; each of its values then has its share of the sample, by largest remainders (Hamilton).
    """
    if size >= len(rows):
        return list(rows)
    strata: dict[str, list[DataRow]] = defaultdict(list)
    for row in rows:
        strata["" if stratify is None else json.dumps(row.values.get(stratify), sort_keys=True)].append(row)
    shares = _shares({name: len(members) for name, members in strata.items()}, size)
    drawn: list[DataRow] = []
    for name, members in strata.items():
        drawn += sorted(members, key=lambda row: _rank(row, seed))[: shares[name]]
    return sorted(drawn, key=lambda row: row.number)


def filtered(rows: Sequence[DataRow], is_wanted: Callable[[Mapping[str, object]], bool], file: Path) -> list[DataRow]:
    """The rows that a condition lets through.

    Args:
        rows: What to choose from.
        is_wanted: The condition; a `ValueError` of it is the row's fault.
        file: What holds the rows.

    Raises:
        SuiteError: The condition cannot decide about a row.
    """
    kept = []
    for row in rows:
        try:
            if is_wanted(row.values):
                kept.append(row)
        except ValueError as error:
            raise SuiteError([Problem(f"row {row.number}: {error}", file, row.line)]) from None
    return kept


def _rank(row: DataRow, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{row.number}".encode()).digest()


def _shares(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Whole numbers in proportion to sizes that sum to a total; of equal remainders the earlier one wins."""
    whole = sum(sizes.values())
    shares = {name: size * total // whole for name, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda name: -(sizes[name] * total % whole))
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares
