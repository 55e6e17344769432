from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.findings import Findings
from skillgrade.yaml_values import Mark


def test_errors_come_in_the_order_of_the_files_and_once() -> None:
    findings = Findings()
    findings.raise_errors()
    for file, line, column in (("b", 1, 1), ("a", 10, 1), ("a", 2, 5), ("a", 2, 1), ("a", 2, 5)):
        findings.error(Mark(Path(file), line, column), "k", "is wrong")
    with pytest.raises(SuiteError) as caught:
        findings.raise_errors()
    assert str(caught.value).splitlines() == [
        "a:2:1: k: is wrong",
        "a:2:5: k: is wrong",
        "a:10:1: k: is wrong",
        "b:1:1: k: is wrong",
    ]
