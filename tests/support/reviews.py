"""Runs whose trials wait for people, on disk as a run leaves them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillgrade.results.evidence import Evidence, save
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.records import Check, GraderResult, GraderStatus, Outcome, TrialRecord
from skillgrade.results.reviews import ReviewContext, deadline_after, review_places, write_context
from skillgrade.results.run_info import RunEnd
from tests.support.results import INFO, plan, result, trial

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A picture: one dot, PNG."""

DRAWING = b"""<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">
<script>document.title = "taken over"</script><rect width="80" height="40" fill="teal"/></svg>"""
"""A picture with a script in it."""

INJECTION = "<script>document.title = 'taken over'</script><img src=x onerror=\"document.title='taken over'\">"

DIFF = """diff --git a/index.html b/index.html
--- a/index.html
+++ b/index.html
@@ -1,3 +1,3 @@
 <h1>Shop</h1>
-<p>Old</p>
+<p>New</p>
 <footer></footer>
diff --git a/logo.svg b/logo.svg
new file mode 100644
--- /dev/null
+++ b/logo.svg
@@ -0,0 +1,1 @@
+<svg/>
"""

FILES: Mapping[str, bytes] = {
    "index.html": b"<h1>Shop</h1>\n<p>New</p>\n<script>document.title = 'taken over'</script>\n",
    "logo.svg": DRAWING,
    "shots/wide.png": PIXEL,
    "data.bin": b"\0\1\2",
}


def add_waiting(
    run: RunFolder,
    journal: Journal,
    number: int,
    *,
    task: str = "redesign",
    prompt: str = "Does the page match the design?",
    transcript: str = "I changed index.html.\n",
    files: Mapping[str, bytes] = FILES,
    diff: str | None = DIFF,
    checks: tuple[Check, ...] = (),
    **fields: Any,
) -> TrialRecord:
    """A trial whose human grader (weight 3) waits, beside a deterministic one (weight 1) that gave 1."""
    asked = GraderResult(
        "human", 1, GraderStatus.UNGRADED, None, 3.0, "waiting for review: there", checks, waiting=True
    )
    checked = result(score=1.0, details="secretly perfect", checks=(Check("is-html", passed=True, message="it is"),))
    values = {"outcome": Outcome.UNGRADED, "grader_results": (checked, asked), **fields}
    record = trial(task, number, None, **values)
    (place,) = review_places(run, record).values()
    for name, content in files.items():
        path = place.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    context = ReviewContext(
        task=task,
        trial=number,
        turn=0,
        prompt=prompt,
        instruction="Bring the page in line with the design.",
        transcript=transcript,
        workspace=str(place.workspace),
        result_path=str(place.result()),
        deadline=deadline_after(1800),
        timeout=1800.0,
    )
    write_context(place, context)
    save(Evidence(0, context.instruction, transcript, diff), place.workspace.parent)
    journal.append(record)
    return record


def waiting_run(base: Path, count: int = 3, **fields: Any) -> RunFolder:
    """A finished run below a base, whose trials all wait."""
    run = RunFolder(base / INFO.run_id)
    run.path.mkdir(parents=True)
    with Journal.create(run.journal, INFO, [plan("redesign", planned=count)]) as journal:
        for number in range(count):
            add_waiting(run, journal, number, **fields)
        journal.end(RunEnd(1200, interrupted=False))
    return run
