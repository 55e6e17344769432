"""A judge without a model, to try skillgrade and to make the recording that `make demo` replays.

It speaks enough of Gemini's API to be asked by skillgrade, and gives the share of all points that the programs which
graded before it measured: `deterministic: score 0.33` becomes a third of each section. It reads nothing else, so it
says nothing about how well the agent worked. Run it, and in another shell:

    export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8765 GEMINI_MODEL=stand-in
    skillgrade --file=eval.yaml.example --grader=deterministic,llm_rubric --verdicts=record
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NUMBER = r"\d+(?:\.\d+)?"
MEASURED = re.compile(rf"^deterministic: score (?P<score>{NUMBER})$", re.MULTILINE)
TAG = re.compile(r'"tag": the text "(?P<tag>[^"]+)"')
SECTION = re.compile(
    rf'^- "(?P<key>section_\d+)".*?a number from (?P<low>{NUMBER}) to (?P<high>{NUMBER})', re.MULTILINE | re.DOTALL
)


def verdict(system: str, user: str) -> dict[str, Any]:
    """What it answers to the two texts of a question."""
    scores = [float(match["score"]) for match in MEASURED.finditer(user)]
    share = sum(scores) / len(scores) if scores else 0.0
    reasoning = f"Stand-in without a model: the programs before it measured {share:.2f} of 1."
    tag = TAG.search(system)
    answer: dict[str, Any] = {"tag": tag["tag"] if tag else ""}
    sections = {
        match["key"]: {"reasoning": reasoning, "score": round(float(match["low"]) + share * _width(match), 4)}
        for match in SECTION.finditer(system)
    }
    return answer | (sections or {"reasoning": reasoning, "score": share})


def _width(section: re.Match[str]) -> float:
    return float(section["high"]) - float(section["low"])


class Handler(BaseHTTPRequestHandler):
    """`POST /v1/models/MODEL:generateContent`."""

    def do_POST(self) -> None:
        """Answer a question."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        system, user = (_text(content) for content in (request["systemInstruction"], *request["contents"]))
        part = {"text": json.dumps(verdict(system, user))}
        reply = json.dumps(
            {
                "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
                "modelVersion": "stand-in",
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Stay quiet."""


def _text(content: dict[str, Any]) -> str:
    return "".join(part.get("text", "") for part in content["parts"])


def main() -> None:
    """Serve until Ctrl-C, on the port that is named or 8765."""
    with ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8765), Handler) as server:
        sys.stdout.write(f"judging at http://127.0.0.1:{server.server_port}\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
