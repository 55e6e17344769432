"""The review pages: which address shows what, and what saving does."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from skillgrade.errors import SkillgradeError
from skillgrade.reports.review.answer import Entry, entry_of, read_entry, review_of
from skillgrade.reports.review.files import TrialFile, list_files, read_bytes, read_text
from skillgrade.reports.review.guard import FILE_POLICY, Guard
from skillgrade.reports.review.items import ReviewItem, ReviewList, review_list
from skillgrade.reports.review.view import readable, trial_view
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import Review
from skillgrade.results.review_file import ReviewProblem, write_review

_STATIC = {
    "review.css": "text/css; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "review.svg": "image/svg+xml",
}
_UNUSUAL = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class Desk:
    """What the pages work on.

    Attributes:
        run: The run's folder.
        reviewer: Who is reviewing; None without a name.
        token: The first part of every path.
        saved: Called when a review was written.
    """

    run: RunFolder
    reviewer: str | None
    token: str
    saved: Callable[[], None]


def review_app(desk: Desk) -> Guard:
    """The pages as an ASGI application."""
    pages = _Pages(desk)
    routes = [
        Route("/", pages.overview),
        Route("/trials/{item}", pages.trial),
        Route("/trials/{item}", pages.save, methods=["POST"]),
        Route("/trials/{item}/files/{file}", pages.file),
        Route("/trials/{item}/raw/{file}", pages.raw),
        Route("/static/{name}", pages.static),
    ]
    handlers = {HTTPException: pages.http_error, SkillgradeError: pages.known_error, Exception: pages.unknown_error}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), desk.token)


class _Pages:
    """Every handler reads what it shows from the disk, so that pages are as fresh as a reload."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._templates = Environment(
            loader=PackageLoader("skillgrade.reports.review"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["readable"] = readable
        self._templates.globals["root"] = f"/{desk.token}"

    async def overview(self, request: Request) -> Response:
        """Everything that waits, and what is done."""
        reviews = self._reviews()
        return self._page("overview.html", reviews=reviews, saved=_saved(request, reviews))

    async def trial(self, request: Request) -> Response:
        """One trial."""
        reviews = self._reviews()
        item = _item(request, reviews)
        entry = entry_of(item.mine, item.checklist) if isinstance(item.mine, Review) else Entry()
        problem = item.mine.text if isinstance(item.mine, ReviewProblem) else None
        return self._trial_page(reviews, item, entry, problem, saved=_saved(request, reviews))

    async def save(self, request: Request) -> Response:
        """Write the review that was entered, and go on to the next one."""
        reviews = self._reviews()
        item = _item(request, reviews)
        try:
            body = (await request.body()).decode("utf-8", "replace")
        except ClientDisconnect:
            raise HTTPException(413, "That is too much for a form.") from None
        entry = read_entry(parse_qs(body, keep_blank_values=True), item.checklist)
        review = review_of(entry, item.checklist, self._desk.reviewer)
        if isinstance(review, str):
            return self._trial_page(reviews, item, entry, review, status=422)
        write_review(item.place.result(self._desk.reviewer), review)
        self._desk.saved()
        following = reviews.after(item)
        place = "/" if following is None else f"/trials/{following.id}"
        return RedirectResponse(f"/{self._desk.token}{place}?saved={item.id}", status_code=303)

    async def file(self, request: Request) -> Response:
        """One file of a trial, as text or as a picture."""
        item = _item(request, self._reviews())
        file = _file(request, item)
        try:
            text, cut = (None, False) if file.is_picture else read_text(item.place.workspace, file)
        except OSError:
            raise HTTPException(404, "The file is gone.") from None
        return self._page("file.html", item=item, file=file, text=text, cut=cut)

    async def raw(self, request: Request) -> Response:
        """The bytes of a file: a picture for a page, or something to save, never a page of its own."""
        item = _item(request, self._reviews())
        file = _file(request, item)
        try:
            content = read_bytes(item.place.workspace, file)
        except OSError:
            raise HTTPException(404, "The file is gone, or too large to be sent.") from None
        name = _UNUSUAL.sub("_", PurePosixPath(file.path).name)
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Security-Policy": FILE_POLICY}
        return Response(content, media_type=file.media_type, headers=headers)

    async def static(self, request: Request) -> Response:
        """The style and the script."""
        name = request.path_params["name"]
        if name not in _STATIC:
            raise HTTPException(404, "There is no such page.")
        content = (files("skillgrade.reports.review") / "static" / name).read_bytes()
        return Response(content, media_type=_STATIC[name])

    async def http_error(self, request: Request, error: Exception) -> Response:
        """What is not there or cannot be done, in words."""
        assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
        return self._page("message.html", status=error.status_code, text=error.detail)

    async def known_error(self, request: Request, error: Exception) -> Response:
        """What went wrong, in words."""
        return self._page("message.html", status=500, text=str(error))

    async def unknown_error(self, request: Request, error: Exception) -> Response:
        """A fault of these pages."""
        return self._page("message.html", status=500, text=f"internal error: {type(error).__name__}: {error}")

    def _reviews(self) -> ReviewList:
        return review_list(self._desk.run, self._desk.reviewer)

    def _trial_page(
        self,
        reviews: ReviewList,
        item: ReviewItem,
        entry: Entry,
        problem: str | None,
        *,
        saved: ReviewItem | None = None,
        status: int = 200,
    ) -> Response:
        return self._page(
            "trial.html",
            status=status,
            reviews=reviews,
            item=item,
            entry=entry,
            problem=problem,
            view=trial_view(item),
            saved=saved,
        )

    def _page(self, name: str, *, status: int = 200, **values: object) -> Response:
        text = self._templates.get_template(name).render(reviewer=self._desk.reviewer, **values)
        return Response(text.encode("utf-8", "replace"), status, media_type="text/html; charset=utf-8")


def _item(request: Request, reviews: ReviewList) -> ReviewItem:
    item = reviews.by_id(request.path_params["item"])
    if item is None:
        raise HTTPException(404, "There is no such trial to review.")
    return item


def _file(request: Request, item: ReviewItem) -> TrialFile:
    file = list_files(item.place.workspace).by_id(request.path_params["file"])
    if file is None:
        raise HTTPException(404, "There is no such file.")
    return file


def _saved(request: Request, reviews: ReviewList) -> ReviewItem | None:
    return reviews.by_id(request.query_params.get("saved", ""))
