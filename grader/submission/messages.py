"""Messages about submissions, in both languages, and the exception that carries them.

Every message is shown after the name of a file, cell or folder and a colon.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.core.errors import SubmissionError
from grader.core.marks import plain
from grader.core.model import Message, Notice, Text
from grader.core.text import LABELED, same


class Unusable(SubmissionError):
    """Part of a submission cannot be read: fatal if nothing else can be graded, else a notice."""

    def __init__(self, where: str, text: Text) -> None:
        """``where`` is the path or cell, as shown to people."""
        super().__init__(LABELED.fill(who=where, said=text))
        self.where = where
        self.text = text

    def __reduce__(self) -> tuple[type[Unusable], tuple[str, Text]]:
        """Makes it picklable."""
        return type(self), (self.where, self.text)

    def notice(self) -> Notice:
        """The problem as a notice in the report on a submission that is graded without this part."""
        return Notice(self.where, LEFT_OUT.fill(problem=self.text), urgent=True)


def printable(text: str, limit: int = 200) -> str:
    """``text`` on one line, safe for a terminal: control and bidirectional characters are escaped."""
    text = plain(text)
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _spelled(c) for c in text)


def _spelled(char: str) -> str:
    return " " if char == "\t" or (char.isspace() and ord(char) > 0x7F) else ascii(char)[1:-1]


def listing(things: Sequence[str | Text], limit: int = 5) -> Text:
    """The first ``limit`` of ``things``, which may be anybody's words, and how many more there are."""
    texts = [thing if isinstance(thing, Text) else same(printable(thing)) for thing in things]
    more = len(texts) - limit
    en = ", ".join(t.en for t in texts[:limit]) + (f" and {more} more" if more > 0 else "")
    zh = "、".join(t.zh for t in texts[:limit]) + (f" 等 {len(texts)} 项" if more > 0 else "")
    return Text(en, zh)


def size(count: int) -> str:
    """``count`` bytes in a suitable unit."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}".replace(".0 ", " ")
    return f"{count} bytes"


LEFT_OUT = Message("{problem} Left out; the rest is graded.")

# ------------------------------------------------------------------------------------ submissions

MISSING = Message(
    "there is nothing at this path. Expected a .py file, a notebook (.ipynb), a folder, a .zip or an answers.yaml; "
    "check the spelling.{near}"
)
NEAR = Message(" Similar names: {names}.")
WRONG_KIND = Message(
    "this kind of file is not read. Expected a .py file, a notebook (.ipynb), a folder, a .zip or an answers.yaml."
)
HIDDEN_SUFFIX = Message("the name ends in {suffix}, so it does not count as code. Rename it to {new}.")
OTHER_ARCHIVE = Message("archives ending in {suffix} are not read. Pack the same files as a .zip and submit that.")
SPECIAL = Message("this is not a regular file but {what}, so it was not opened. Expected a file, a folder or a .zip.")
LINK = Message("this is a symbolic link, and links are not followed. Put the file or folder itself here.")
CHANGING = Message("this changed while it was being read. Wait until it is completely saved, and try again.")
TOO_DEEP = Message("it is nested more than {limit} folders deep, so it was not read. Submit only your own files.")
FOLDER_LIKE_A_FILE = Message(
    "this is a folder with a name like a file, and there is no such file in it. Put the file itself here."
)
DENIED = Message(
    "you have no permission to read this. Make it readable (`chmod u+r`, or the file's properties) and try again."
)
IO_ERROR = Message("reading failed: {reason}. Make a new copy of it and try again.")
TOO_LARGE = Message("it is {found}, more than the limit of {limit} for {what}. {advice}")
EMPTY_FILE = Message("the file is empty; expected Python code. Did you save it before you submitted it?")
NO_CODE = Message(
    "there is no code and no answers file: expected a .py file, a notebook (.ipynb) or an answers.yaml, found {found}."
)
NO_FILES = Message("no files")
IT_IS = Message("{name} ({what})")
IT_IS_HIDDEN = Message("{name} (hidden, or created by the system)")
UNPACK_IT = Message(" Archives inside a submission are not opened: unpack it, and submit the files in it.")
ALL_LEFT_OUT = Message("none of the {count} files can be graded. {problems}")
TOO_MANY_FILES = Message(
    "it has more than {limit} files. Submit only your own .py and .ipynb files and answers.yaml,"
    " without data or installed packages."
)
TOO_MUCH_TEXT = Message(
    "it has {found} of {what}, more than the limit of {limit}."
    " Submit only your own code, and clear the outputs of notebooks."
)
TOO_MUCH_CODE = Message(
    "its files and notebook cells have more than {limit} of code. Submit only your own code, without data."
)
TOO_COSTLY = Message(
    "reading it takes more than {seconds} s of CPU time or {memory} of memory, which no ordinary submission"
    " needs, so it was not read. Submit only your own code, without data, and clear the outputs of notebooks."
)
TOO_MANY_FIELDS = Message(
    "its f-strings are too long and have too many {…} to be parsed. Split them into shorter ones."
)
TOO_MANY_NAMES = Message("it defines more than {limit} names at top level. Submit only your own code, without data.")
ALL_TEXT = Message("source, notebooks and answers")
CODE = Message("code")
TOO_MANY_ANSWERS = Message(
    "there are {count} answers files ({names}), but only one can count. Merge them into one answers.yaml."
)
OLDER_ANSWERS = Message(
    "not read: {counts} has answers and is newer, so it counts. Merge them into one answers.yaml if both matter."
)
LESSER_ANSWERS = Message("not read: {counts} counts, because {why}. Merge them into one answers.yaml if both matter.")
AS_NEW = Message("both have the same time stamp and it has the usual name")
AS_NEW_UNNAMED = Message("both have the same time stamp and it comes first by name")
NOTHING_IN_THIS = Message("this one has no answers that can be read")
SHADOWS = Message(
    "“{name}” is the name of {owner}, and `import {name}` would find this file instead. Rename it, for example to"
    " {new}, and update its imports."
)
A_STANDARD_MODULE = Message("a module of Python's standard library")
A_LIBRARY = Message("the library {name}")

# --------------------------------------------------------------------------------- archives

NOT_A_ZIP = Message("this is not a zip archive{what}. Pack your files as a .zip again and submit that.")
BUT = Message(" but {what}")
CUT_OFF = Message(", or its end is missing")
BROKEN_ZIP = Message("the archive is damaged ({reason}). Pack it again, and check that the upload was complete.")
BAD_ZIP_NAME = Message(
    "the archive contains the name “{name}”, which {why}. Pack the folder itself again, with relative paths and"
    " forward slashes (your system's own zip tool does that)."
)
NAMES_NOT_UTF8 = Message(
    "a file name in the archive is marked as UTF-8 but is not valid UTF-8. Rename the file and pack it again."
)
SPECIAL_IN_ZIP = Message("“{name}” in the archive is not a regular file but {what}. Pack the files themselves.")

# --------------------------------------------------------------------------------- text

LOOKS_LIKE = Message("expected {expected}, but despite its name this is {what}. {advice}")
PYTHON_SOURCE = Message("Python source")
A_JUPYTER_NOTEBOOK = Message("a Jupyter notebook")
YAML_TEXT = Message("YAML text")
THE_CODE_ITSELF = Message("Submit the code itself, as a .py or .ipynb file.")
RENAME_IT = Message("Rename it so that it ends in {suffix}.")
PLAIN_TEXT = Message("Save it as plain text (UTF-8).")
BAD_COOKIE = Message(
    "the encoding declared in its first lines cannot be used ({reason}). Remove that line and save the file as UTF-8."
)

# --------------------------------------------------------------------------------- Python

SYNTAX = Message("line {line}, column {column}: Python cannot parse this{source} ({reason}).{hint}")
QUOTED_LINE = Message(": `{line}`")
GIVES_UP = Message(
    "Python's parser cannot handle this ({reason}). Split deeply nested or very long expressions into statements."
)

# --------------------------------------------------------------------------------- notebooks

NOT_JSON = Message(
    "this is not a notebook, or it is damaged: line {line} is not valid JSON ({reason})."
    " Open it in Jupyter and save it again."
)
NOT_A_NOTEBOOK = Message("this is JSON, but not a notebook: {reason}. Open it in Jupyter and save it again.")
TOO_INTRICATE = Message(
    "it has more than {limit} nested parts, probably in its outputs. Clear the outputs of all cells and save it."
)
OLD_TOO_LARGE = Message(
    "it is in a format from before 2014. Notebooks in such formats may have {limit} in all here; these have {found}. "
    "Open it in Jupyter and save it, which converts it to the current format; then upload it again."
)
OTHER_LANGUAGE = Message(
    "this notebook is for {language}; expected one for Python. Choose a Python kernel and save it again."
)
NO_CODE_CELLS = Message(
    "no cell of this notebook has code that can be graded. Expected code cells with your functions."
    " Did you save it before you submitted it?"
)
TOO_MANY_CELLS = Message("it has more than {limit} code cells. Submit only the cells with your functions.")
MAGICS = Message("lines that only work in Jupyter were left out: {lines}.")
MAGIC = Message("cell {cell} line {line} ({text})")
WHOLE_CELLS = Message("whole cells that are not plain Python were left out: {cells}.")
WHOLE_CELL = Message("cell {cell} ({text})")

# --------------------------------------------------------------------------------- answers

ANSWERS_LOST = Message("this file cannot be read, so your answers were not graded; your code was. {problem}")
NO_COLON = Message(
    "expected `{key}: …` on a line of its own, with nothing before it, a half-width colon, and a plain space after it"
)
NO_ENTRY = Message("expected a line such as `Q5.output: b`")
ANSWERED_TWICE = Message("line {line}: {id} has another answer on line {first}, so neither counts. Keep one of them.")
SWALLOWED = Message(
    "line {line}: {id} is inside the answer to {other}. Is a quote missing there, or is the line indented too far?"
)
READ_ONE_BY_ONE = Message("the file is not valid as a whole, but every answer in it could be read. {problem}")
TOO_MANY_ENTRIES = Message(
    "{problem} Its entries cannot be read one by one either, because there are more than {limit} of them."
)
MORE_PROBLEMS = Message("{count} more parts of this file could not be read.")
TWO_LEARNERS = Message(
    "`learner` is given more than once, with different names ({names}), so none of them counts. Keep one line."
)
NOT_YAML = Message("line {line}: {reason}.")
NO_FORMAT_LINE = Message(
    "there is no `format`, so this was read as format 1. Write `format: 1` as the first line of the file."
)
ANSWERS_SHAPE = Message("expected `format: 1`, `learner:` and `answers:`, found {found}.").with_advice(
    Message("`attncheck start` creates a file to begin with.")
)
EMPTY_ANSWERS = Message("nothing", "file")
UNKNOWN_KEY = Message(
    "line {line}: “{key}” is not a key of an answers file.{near} The keys are format, learner and answers."
)
MEANT = Message(" Did you mean “{key}”?")
A_LIST = Message("a list")
A_MAPPING = Message("a mapping")
