"""Pages for people without a session: in both languages, and without anything that has to be loaded."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jinja2
from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Receive, Scope, Send

from grader.core.model import Text
from grader.report.html import environment


@dataclass(frozen=True, slots=True)
class Step:
    """What a reader can do next: follow a link or, with ``post``, press a button that sends ``fields``."""

    label: Text
    path: str
    post: bool = False
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A page, as an application: a title, paragraphs, and a next step."""

    status: int
    title: Text
    texts: tuple[Text, ...]
    step: Step | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self, scope: Scope) -> HTMLResponse:
        """The page as a response to a request. A request of htmx gets the paragraphs only, to put into its page."""
        if "hx-request" in Headers(scope=scope):
            lines = [Markup('<p class="warning" lang="{}">{}</p>').format(*each) for each in self._said()]
            return HTMLResponse(Markup("\n").join(lines), self.status, self.headers)
        page = _template().render(notice=self, nonce=scope.get("state", {}).get("nonce", ""))
        return HTMLResponse(page, self.status, self.headers)

    def _said(self) -> list[tuple[str, str]]:
        english = " ".join(text.en for text in self.texts)
        return [("en", english), ("zh-Hans", "".join(text.zh for text in self.texts))]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self.response(scope)(scope, receive, send)


@functools.cache
def _template() -> jinja2.Template:
    return environment(Path(__file__).parent / "templates").get_template("notice.html")
