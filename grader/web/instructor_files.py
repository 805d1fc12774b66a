"""The instructor's pages on similar solutions, downloads, and the log of changes."""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import Response

from grader.classroom.results import Book
from grader.core.files import portable
from grader.core.model import Message, Text
from grader.instructor import export as exports
from grader.instructor.analysis import similarity_html, similarity_view
from grader.instructor.analysis.answers import borrowed_by_learner
from grader.instructor.analysis.class_similarity import ClassSimilarity, Cluster, compare_class, find_clusters
from grader.instructor.export.html import LearnerPages, mark_of
from grader.web.class_data import RARELY, ClassData, Download, StaffVisit
from grader.web.instructor_items import borrowed_answers

#: The most clusters on the list, and the most couples on the page of a cluster.
_MOST_CLUSTERS, _MOST_COUPLES = 100, 30
_GONE = Message("This file is no longer available; create it again.")

# ------------------------------------------------------------------------------------------ similar solutions


def similar_page(visit: StaffVisit) -> Response:
    """The clusters of similar submissions, or one of them side by side; and answers that fit others' numbers."""
    class_data = visit.class_data
    alike, made = _alike(class_data)
    who = {key: ", ".join(map(class_data.called, people)) or key for key, people in alike.people.items()}
    cluster = visit.asked("cluster")
    if cluster:
        number = int(cluster) if cluster.isdecimal() and len(cluster) < 6 else 0
        if not 1 <= number <= len(made):
            raise HTTPException(404)
        people = sorted({name for key in made[number - 1].keys for name in alike.people[key]})
        visit.note_reading("read comparison", learners=", ".join(people))
        (shown,) = similarity_html.compare_clusters(alike.found, [made[number - 1]], who, alike.read, _MOST_COUPLES)
        return visit.page(
            "instructor_cluster.html",
            each=shown,
            number=number,
            people=[name for key in shown.cluster.keys for name in alike.people[key]],
            honest=similarity_view.honest(),
            COMMON_CODE=similarity_view.COMMON_CODE,
        )
    visit.note_reading("read similar solutions")
    listed = [
        (similarity_view.title(entry, who), [similarity_view.alike_in(scope, entry, who) for scope in entry.scopes])
        for entry in made[:_MOST_CLUSTERS]
    ]
    return visit.page(
        "instructor_similar.html",
        listed=listed,
        more=max(0, len(made) - _MOST_CLUSTERS),
        honest=similarity_view.honest(),
        nothing=similarity_view.NOTHING.fill(threshold=f"{alike.found.threshold:.0%}"),
        counted=similarity_view.COMPARED.fill(submissions=alike.found.submissions),
        notes=similarity_view.notes(alike.found, who, alike.left_out),
        borrowers=borrowed_by_learner(borrowed_answers(class_data)),
        numbers=lambda values: ", ".join(f"{name} = {value}" for name, value in values),
    )


def _alike(class_data: ClassData) -> tuple[ClassSimilarity, tuple[Cluster, ...]]:
    """The similarities and clusters. Cached until there are new submissions, because comparing takes seconds."""

    def version(book: Book) -> bytes:
        row = (
            (submission.key, submission.digest, submission.learners, submission.attempt)
            for submission in book.gradebook.submissions()
        )
        return hashlib.sha256(repr([*row, *book.points]).encode()).digest()

    def make(book: Book) -> tuple[ClassSimilarity, tuple[Cluster, ...]]:
        alike = compare_class(book.gradebook, class_data.course)
        return alike, find_clusters(alike.found)

    submitted = class_data.once("submitted", version)
    return class_data.once("similar", make, submitted, rest=RARELY)


# ------------------------------------------------------------------------------------------ downloads


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """An export format: its name, a description, and its options."""

    name: str
    about: Text
    options: frozenset[str]


def export_formats() -> list[ExportFormat]:
    """All export formats for a gradebook."""
    modules = [(name, exports.format_module(name)) for name in exports.format_names()]
    return [
        ExportFormat(name, module.ON_PAGE, frozenset(module.OPTIONS))
        for name, module in modules
        if module.SOURCE == "gradebook"
    ]


def downloads_page(visit: StaffVisit) -> Response:
    """The list of formats, or a finished file whose remarks were shown."""
    token = visit.asked("file")
    if token:
        ready = visit.class_data.shelf.get(token)
        if ready is None:
            return visit.page("instructor_failed.html", status=404, text=_GONE.of(visit.lang))
        return attachment(ready.name, ready.data)
    return visit.page("instructor_downloads.html", formats=export_formats())


def make_download(visit: StaffVisit) -> Response:
    """Export a file, and send it; if there are remarks, show them first."""
    class_data = visit.class_data
    name = visit.named("form")
    formats = {form.name: form for form in export_formats()}
    if name not in formats:
        raise HTTPException(404)
    ready = _made(visit, formats[name])
    visit.note("downloaded", format=name)
    if not ready.remarks:
        return attachment(ready.name, ready.data)
    remarks = [remark.on_page for remark in ready.remarks]
    return visit.page("instructor_ready.html", ready=ready, remarks=remarks, token=class_data.shelf.put(ready))


def _made(visit: StaffVisit, form: ExportFormat) -> Download:
    class_data = visit.class_data
    remarks: list[Text] = []
    with tempfile.TemporaryDirectory(prefix="attncheck-") as scratch:
        folder = Path(scratch)
        options = exports.ExportOptions(
            lang=visit.lang,
            pseudonyms="pseudonyms" in form.options and bool(visit.typed("pseudonyms")),
            checks="checks" in form.options and bool(visit.typed("checks")),
            bom="bom" in form.options and bool(visit.typed("bom")),
            template=_uploaded(visit, "template", folder) if "template" in form.options else None,
            column=visit.typed("column").strip() or None if "column" in form.options else None,
            roster=_uploaded(visit, "roster", folder) if "roster" in form.options else None,
            now=class_data.now(),
        )
        to = folder / "out"
        with (
            class_data.changing() if options.pseudonyms else class_data.book() as book
        ):  # the key of the pseudonyms may have to be saved
            exports.export(form.name, book, options, exports.ExportTarget(to, remarks.append, temporary=True))
        if to.is_dir():
            return Download(f"{form.name}.zip", _zipped(to), tuple(remarks))
        return Download(_called(form.name, options.template), to.read_bytes(), tuple(remarks))


def _uploaded(visit: StaffVisit, name: str, folder: Path) -> Path | None:
    """Save an uploaded file in ``folder`` under a safe name that messages can show; None if there is none."""
    uploads = visit.uploads(name)
    if not uploads:
        return None
    given, data = uploads[0]
    place = folder / name / portable(Path(given).name, {})
    place.parent.mkdir()
    place.write_bytes(data)
    return place


def _called(form: str, template: Path | None) -> str:
    if form == "canvas-feedback":
        return "canvas-feedback.zip"
    return template.name if template is not None else f"class.{form}"


def _zipped(folder: Path) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(folder.iterdir()):
            made.write(path, path.name)
    return data.getvalue()


def attachment(name: str, data: bytes) -> Response:
    """A file for the browser to save, not to show."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


def learner_file(visit: StaffVisit) -> Response:
    """The page for a learner, as ``export html`` writes it."""
    class_data = visit.class_data
    learner = class_data.learner(visit.named("learner"))
    with class_data.book() as book:
        page = LearnerPages(book, visit.lang, class_data.now()).of(mark_of(book, learner.id))
    if page is None:
        raise HTTPException(404)
    visit.note("downloaded", learner=learner.id, format="html")
    return attachment(f"{portable(learner.id, {})}.html", page.encode())
