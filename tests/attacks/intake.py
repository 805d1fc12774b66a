"""Attacks on intake: files added to a collection so that others lose their work or it counts for somebody else.

Each is a class of three honest learners, as a course system stores it, plus what one attacker adds. Nothing of it is
executed; ``tests/attacks/test_attacks_on_intake.py`` tries them.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from grader.classroom import inbox
from grader.core.files import portable_folder
from tests.attacks.arena import ROOT
from tests.attacks.cases import AttackCase

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
RIGHT = (ROOT / "tests/solutions/scaled_dot_product_attention/right/torch_plain.py").read_text("utf-8")
#: Files of honest learners, by the names that their course systems know them by.
WORK = {name: {"q05.py": f"{RIGHT}\n# {name}\n", "lib/q06.py": f"x = '{name}'\n"} for name in ("ada", "bob", "cy")}
EVIL = "def scaled_dot_product_attention(q, k, v, mask=None):\n    return v\n"
_NUMBERS = {"ada": 11, "bob": 12, "cy": 13, "mallory": 66}

Files = Mapping[str, str]


def plain(folder: Path, who: str, files: Files) -> None:
    """A folder with the learner's name."""
    for name, text in files.items():
        put(folder / who / name, text)


def moodle(folder: Path, who: str, files: Files) -> None:
    """Moodle, with folders."""
    plain(folder, f"{who}_{_NUMBERS[who]}_assignsubmission_file_", files)


def moodle_flat(folder: Path, who: str, files: Files) -> None:
    """Moodle, without folders."""
    for name, text in files.items():
        put(folder / f"{who}_{_NUMBERS[who]}_assignsubmission_file_{name.replace('/', '-')}", text)


def canvas(folder: Path, who: str, files: Files) -> None:
    """Canvas."""
    for at, (name, text) in enumerate(files.items(), 100 * _NUMBERS[who]):
        put(folder / f"{who}_{_NUMBERS[who]}_{at}_{name.replace('/', '-')}", text)


def gradescope(folder: Path, who: str, files: Files) -> None:
    """Gradescope: the metadata grow with every learner."""
    plain(folder, f"submission_{_NUMBERS[who]}", files)
    with (folder / "submission_metadata.yml").open("a") as file:
        file.write(f"submission_{_NUMBERS[who]}:\n  :submitters:\n  - :name: {who}\n    :sid: '{_NUMBERS[who]}'\n")


def nbgrader(folder: Path, who: str, files: Files) -> None:
    """nbgrader: the folder of a course."""
    put(folder / "source" / "ps1" / "q05.ipynb", "{}")
    plain(folder, f"submitted/{who}/ps1", {**files, "timestamp.txt": "2026-11-20 18:00:00 UTC"})


def submitted(folder: Path, who: str, files: Files) -> None:
    """The inside of nbgrader's folder alone."""
    plain(folder, f"{who}/ps1", {**files, "timestamp.txt": "2026-11-20 18:00:00 UTC"})


def received(folder: Path, who: str, files: Files) -> None:
    """Our inbox, as ``attncheck submit`` writes it."""
    handed_in(folder, who, who, files)


KINDS = {
    "plain": plain, "moodle": moodle, "moodle_flat": moodle_flat, "canvas": canvas, "gradescope": gradescope,
    "nbgrader": nbgrader, "submitted": submitted, "inbox": received,
}  # fmt: skip


def put(path: Path, text: str) -> None:
    """A file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def handed_in(folder: Path, home: str, learner: str, files: Files, number: int = 1, key: bytes | None = None) -> None:
    """An attempt in the folder ``home`` of an inbox, with a receipt for ``learner``."""
    listed = tuple(
        inbox.ReceiptFile(n, len(t.encode()), sha256(t.encode()).hexdigest()) for n, t in sorted(files.items())
    )
    digest = sha256("".join(sorted(f"{file.sha256}  {file.name}\n" for file in listed)).encode()).hexdigest()
    receipt = inbox.Receipt(learner, NOW, digest, listed, number=number)
    if key is not None:
        receipt = replace(receipt, mac=inbox.receipt_signature(receipt, key))
    place = folder / home / inbox.attempt_name(receipt)
    for name, text in files.items():
        put(place / "files" / name, text)
    put(place / inbox.RECEIPT, receipt.to_json())


@dataclass(frozen=True, slots=True)
class Case(AttackCase):
    """``add`` is given the folder of the class (or ``pack`` the zip that is made of it) and adds the attacker's thing.

    ``reported`` are words of the error under which it stands in the table; none where it is graded as the attacker's.
    """

    family = "intake"
    kinds: tuple[str, ...]
    reported: str = ""
    add: Callable[[Path, str], None] | None = None
    pack: Callable[[zipfile.ZipFile, str], None] | None = None
    accounts: Mapping[str, int] | None = None


def inside(names: Mapping[str, str]) -> Callable[[Path, str], None]:
    """The attacker hands in these files, beside their own code, in the way of the class."""
    return lambda folder, kind: KINDS[kind](folder, "mallory", {"q05.py": EVIL, **names})


def forged_receipt(home: str, learner: str, number: int = 99) -> Callable[[Path, str], None]:
    """An attempt in one folder of the inbox, with a receipt for another learner."""

    def add(folder: Path, kind: str) -> None:
        handed_in(folder, home, learner, {"q05.py": EVIL}, number)

    return add


def _folders(count: int) -> Callable[[Path, str], None]:
    """So many folders in each other."""

    def add(folder: Path, kind: str) -> None:
        KINDS[kind](folder, "mallory", {"q05.py": EVIL})
        top = next(path for path in folder.rglob("q05.py") if path.read_text() == EVIL).parent
        handle = os.open(top, os.O_RDONLY)
        for _ in range(count):
            os.mkdir("d", dir_fd=handle)
            deeper = os.open("d", os.O_RDONLY, dir_fd=handle)
            os.close(handle)
            handle = deeper
        os.close(handle)

    return add


def _bare(make: Callable[[Path], object]) -> Callable[[Path, str], None]:
    """Something in the place of the attacker's folder."""
    return lambda folder, kind: (make(folder / _top(kind)), None)[1]


def _top(kind: str) -> str:
    return {"moodle": "mallory_66_assignsubmission_file_", "nbgrader": "submitted/mallory"}.get(kind, "mallory")


def _entry(name: str, text: str = EVIL, mode: int = 0) -> Callable[[zipfile.ZipFile, str], None]:
    def pack(archive: zipfile.ZipFile, kind: str) -> None:
        archive.NameToInfo.clear()  # no warnings of names that are there twice
        info = zipfile.ZipInfo(name.replace("MALLORY", _top(kind)))
        info.create_system, info.external_attr = 3, mode << 16
        archive.writestr(info, text)

    return pack


def _both(*packs: Callable[[zipfile.ZipFile, str], None]) -> Callable[[zipfile.ZipFile, str], None]:
    def pack(archive: zipfile.ZipFile, kind: str) -> None:
        for each in packs:
            each(archive, kind)

    return pack


def _renamed(folder: Path, kind: str) -> None:
    handed_in(folder, "mallory", "mallory", {"q05.py": EVIL})
    (attempt,) = (folder / "mallory").iterdir()
    attempt.rename(attempt.with_name("20300101T000000Z-000000000000"))


def _under_two_names(folder: Path, kind: str) -> None:
    for who in ("dia", "mallory"):
        handed_in(folder, who, who, {"q05.py": EVIL})


def _with_own_key(folder: Path, kind: str) -> None:
    put(folder / inbox.KEY, "ab" * 32 + "\n")
    handed_in(folder, "mallory", "mallory", {"q05.py": EVIL}, key=bytes.fromhex("ab" * 32))


def _torn(folder: Path, kind: str) -> None:
    handed_in(folder, "mallory", "mallory", {"q05.py": EVIL})
    (receipt,) = (folder / "mallory").glob("*/receipt.json")
    receipt.write_text("[" * 100_000)


def _receipt(make: Callable[[Path], object]) -> Callable[[Path, str], None]:
    """Something else in the place of a receipt."""

    def add(folder: Path, kind: str) -> None:
        handed_in(folder, "mallory", "mallory", {"q05.py": EVIL})
        (place,) = (folder / "mallory").glob("*/receipt.json")
        place.unlink()
        make(place)

    return add


def _sparse(place: Path) -> None:
    """A receipt far larger than any, which takes no room on the disk."""
    with place.open("wb") as file:
        file.truncate(60 << 20)


def _under_a_long_name(folder: Path, kind: str) -> None:
    name = "m" * 600
    handed_in(folder, portable_folder(name), name, {"q05.py": EVIL})


def _loose(folder: Path, kind: str) -> None:
    inbox.create_inbox(folder)
    folder.chmod(0o777)
    put(folder / "mallory" / "q05.py", EVIL)


def _links(folder: Path, kind: str) -> None:
    place = folder / _top(kind)
    place.mkdir()
    (place / "ps1").symlink_to(ROOT)
    (place / "q05.py").symlink_to("/etc/passwd")


FOLDERS = ("plain", "moodle", "nbgrader")
ALL = tuple(KINDS)
_METADATA = "ada:\n  :submitters:\n  - :name: ada\nbob:\n  :submitters:\n  - :name: bob\n"
_OTHERS = tuple(kind for kind in KINDS if kind not in ("moodle_flat", "canvas"))

CASES = (
    Case("receipt_inside", "a receipt for somebody else two folders down, where there is no inbox",
         tuple(kind for kind in _OTHERS if kind != "inbox"),
         add=inside({"x/receipt.json": inbox.Receipt("ada", NOW, "0" * 64, ()).to_json(), "receipt.json": "{}"})),
    Case("metadata_inside", "Gradescope's metadata among one's own files, which call them somebody else's", _OTHERS,
         add=inside({"submission_metadata.yml": _METADATA, "ada/q05.py": EVIL, "bob/q05.py": EVIL})),
    Case("stamps_inside", "time stamps of nbgrader among one's own files", _OTHERS[:-1],
         add=inside({"ada/timestamp.txt": "2026-01-01 00:00:00 UTC", "timestamp.txt.d/timestamp.txt": "x"})),
    Case("submitted_inside", "a folder “submitted” among one's own files", _OTHERS,
         add=inside({"submitted/ada/ps1/q05.py": EVIL})),
    Case("name_of_moodle", "a file called as Moodle calls somebody else's", ("plain", "moodle", "canvas", "gradescope",
         "nbgrader", "submitted", "inbox"), add=inside({"Bob_12_assignsubmission_file_q05.py": EVIL})),
    Case("name_of_moodle_twice", "the same in a tree of Moodle without folders", ("moodle_flat",), "two learners",
         add=lambda folder, kind: put(folder / "x_66_assignsubmission_file_bob_12_assignsubmission_file_q05.py", EVIL)),
    Case("name_of_canvas", "a file called as Canvas calls somebody else's", ALL, add=inside({"bob_12_1_q05.py": EVIL})),
    Case("receipt_for_another", "a receipt in one's own folder of the inbox that names another learner", ("inbox",),
         "someone else", add=forged_receipt("mallory", "ada")),
    Case("receipt_renamed", "an attempt under another time than its receipt has", ("inbox",), "another time",
         add=_renamed),
    Case("receipt_in_another_s_folder", "an attempt in somebody else's folder, from one's own account", ("inbox",),
         "accounts", add=lambda folder, kind: handed_in(folder, "mallory", "mallory", {"q05.py": EVIL}),
         accounts={"ada": 1001, "mallory": 1002, "mallory/*": 1003}),
    Case("two_names", "one account hands in under a name that nobody has used yet", ("inbox",), "also submitted for",
         add=_under_two_names,
         accounts={"ada": 1001, "bob": 1002, "cy": 1003, "dia": 1066, "mallory": 1066}),
    Case("own_key", "a key of one's own for the inbox, and a receipt signed with it", ("inbox",), "signature",
         add=_with_own_key,
         accounts={"ada": 1001, "bob": 1002, "cy": 1003, "mallory": 1066, inbox.KEY: 1066}),
    Case("torn_receipt", "a receipt that no reader takes", ("inbox",), "readable receipt.json", add=_torn),
    Case("newer_receipt", "a receipt that says that a newer attncheck wrote it", ("inbox",), "newer attncheck",
         add=_receipt(lambda place: place.write_text('{"format": 99, "attncheck": "99"}'))),
    Case("large_receipt", "a receipt of 60 MiB", ("inbox",), "readable receipt.json", add=_receipt(_sparse)),
    Case("pipe_for_a_receipt", "a pipe in the place of a receipt", ("inbox",), "readable receipt.json",
         add=_receipt(os.mkfifo)),
    Case("link_for_a_receipt", "a link to somebody else's receipt", ("inbox",), "readable receipt.json",
         add=_receipt(lambda place: place.symlink_to(next((place.parents[2] / "ada").glob("*/receipt.json"))))),
    Case("long_name_in_a_receipt", "a name that takes long to compare with a roster", ("inbox",),
         "readable receipt.json", add=_under_a_long_name),
    Case("called_readme", "a learner whose name begins like that of a file which is nobody's", ("plain",),
         add=lambda folder, kind: plain(folder, "Readme Mallory", {"q05.py": EVIL})),
    Case("loose_in_the_inbox", "a file beside the folders of the inbox's learners", ("inbox",), "attncheck submit",
         add=_loose),
    Case("not_in_the_metadata", "a folder that Gradescope's metadata do not name", ("gradescope",), "name its owner",
         add=lambda folder, kind: put(folder / "submission_99" / "q05.py", EVIL)),
    Case("outside_of_a_student", "a file beside the students' folders", ("nbgrader",), "not in submitted/",
         add=lambda folder, kind: put(folder / "submitted" / "mallory.py", EVIL)),
    Case("deep", "1,100 folders in each other", ("plain",), "deep", add=_folders(1100)),
    Case("deep_elsewhere", "more folders in each other than a learner may have", FOLDERS, "deep", add=_folders(50)),
    Case("many", "more files than one learner may hand in", FOLDERS, "files and folders",
         add=lambda folder, kind: KINDS[kind](folder, "mallory", {f"{n}.py": "" for n in range(65)})),
    Case("many_folders", "more folders than one learner may hand in", FOLDERS, "files and folders",
         add=_bare(lambda place: [(place / "ps1" / str(n)).mkdir(parents=True) for n in range(65)])),
    Case("large", "more bytes than one learner may hand in", FOLDERS, "MiB", add=lambda folder, kind: KINDS[kind](
         folder, "mallory", {f"{n}.py": "#" * (1 << 20) for n in range(4)})),
    Case("link_to_another", "a link to somebody else's folder in the place of one's own", FOLDERS, "symbolic link",
         add=_bare(lambda place: place.symlink_to("ada"))),
    Case("link_to_a_file", "a link to a file of the machine", ("plain",), "symbolic link",
         add=lambda folder, kind: (folder / "mallory.py").symlink_to("/etc/passwd")),
    Case("links_inside", "nothing but links in one's own folder", ("plain", "moodle"), "symbolic link", add=_links),
    Case("fifo", "a pipe that nobody writes to", ("plain",), "not a regular file",
         add=lambda folder, kind: os.mkfifo(folder / "mallory.py")),
    Case("empty", "an empty folder", FOLDERS, "nothing to grade", add=_bare(Path.mkdir)),
    Case("hidden", "hidden files only", FOLDERS, "nothing to grade",
         add=_bare(lambda place: put(place / ".q05.py", EVIL))),
    Case("document", "a document with one's name, and no code", ("plain",), "this kind of file",
         add=lambda folder, kind: put(folder / "mallory.pdf", "%PDF")),
    Case("namesake_of_a_file", "a folder and a file with the name of one learner of another system", ("canvas",),
         add=lambda folder, kind: canvas(folder, "mallory", {"q05.py": EVIL, "ada_11_1100_q05.py": EVIL})),
    Case("zip_doubled", "one name twice", FOLDERS, "twice", pack=_both(*[_entry("MALLORY/ps1/q05.py")] * 2)),
    Case("zip_up", "a name with .. in it, towards somebody else's folder", FOLDERS, "..",
         pack=_entry("MALLORY/ps1/../../ada/q05.py")),
    Case("zip_up_at_once", "a name that begins with ..", FOLDERS, "..", pack=_entry("../ada/q05.py")),
    Case("zip_absolute", "an absolute name", FOLDERS, "absolute", pack=_entry("/ada/q05.py")),
    Case("zip_backslash", "a name with backslashes", FOLDERS, "backslash", pack=_entry("MALLORY/ps1\\..\\ada\\q05.py")),
    Case("zip_link", "a link", FOLDERS, "not a regular file", pack=_entry(
         "MALLORY/ps1/q05.py", "/etc/passwd", stat.S_IFLNK | 0o777)),
    Case("zip_damaged", "an entry with another sum than it says", FOLDERS, "cannot be unpacked", pack=_entry(
         "MALLORY/ps1/q05.py", "to be damaged")),
    Case("zip_locked", "an entry with a password", FOLDERS, "password",
         pack=_entry("MALLORY/ps1/q05.py", "to be locked")),
    Case("zip_bomb", "an entry that is far larger than it looks", FOLDERS, "would expand", pack=lambda archive, kind:
         archive.writestr(f"{_top(kind)}/ps1/q05.py", " " * (4 << 20), zipfile.ZIP_DEFLATED)),
    Case("zip_deep", "a name with 1,500 folders in it", FOLDERS, "deep",
         pack=_entry(f"MALLORY/ps1/{'d/' * 1500}q05.py")),
    Case("zip_long_name", "a name of 60,000 letters", FOLDERS, "bytes", pack=_entry(f"MALLORY/ps1/{'n' * 60_000}.py")),
    Case("zip_file_and_folder", "one name for a file and for a folder", FOLDERS, "cannot be unpacked",
         pack=_both(_entry("MALLORY/ps1/q05.py"), _entry("MALLORY/ps1/q05.py/x.py"))),
    Case("zip_cases", "names that differ in upper and lower case alone", FOLDERS,
         pack=_both(_entry("MALLORY/ps1/q05.py"), _entry("MALLORY/ps1/Q05.PY"))),
    Case("zip_hidden", "hidden files only", FOLDERS, "nothing to grade", pack=_entry("MALLORY/ps1/.git/q05.py")),
    Case("zip_empty", "an empty folder", FOLDERS, "nothing to grade", pack=_entry("MALLORY/", "")),
)  # fmt: skip


def laid_out(folder: Path, kind: str) -> None:
    """The honest class, with what lies about in real ones."""
    for who, files in WORK.items():
        KINDS[kind](folder, who, files)
    put(folder / ".DS_Store", "")
    put(folder / "README.txt", "of the course")


def packed(folder: Path, to: Path, case: Case | None, kind: str) -> Path:
    """The class as a zip; with what the attacker adds to it."""
    with zipfile.ZipFile(to, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
        if case is not None and case.pack is not None:
            case.pack(archive, kind)
    data = to.read_bytes()
    data = data.replace(b"to be damaged", b"was damaged!!"[:13])
    to.write_bytes(_locked(data) if b"to be locked" in data else data)
    return to


def _locked(data: bytes) -> bytes:
    """The last entry as one that is protected by a password."""
    local, central = data.index(b"to be locked"), data.rindex(b"PK\1\2")
    for at in (data.rindex(b"PK\3\4", 0, local) + 6, central + 8):
        data = data[:at] + bytes([data[at] | 1]) + data[at + 1 :]
    return data
