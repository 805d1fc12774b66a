"""A zip to upload as an autograder: this program, the course, and how to install both.

## What it writes

A zip with this program as source, the course, and `requirements.txt`. When Gradescope builds the container,
`setup.sh` finds or installs Python 3.11 or later, and pip downloads the libraries. Nothing else is downloaded, and
nothing is downloaded when a submission is graded. (torch depends on gigabytes of CUDA libraries. A line with
`--extra-index-url` and the index of torch's CPU builds in `requirements.txt` avoids them.)

- The zip contains the answer keys, the references and the seed. It is for Gradescope, not for learners.
- Code runs in the sandbox or not at all. If the container cannot confine it, every submission says so, and the output
  for instructors has the reason.
- Numbers in quiz items are drawn for the name of the first submitter, as Gradescope spells it.
- Lateness follows `course.yaml` and the time of submission, with the extensions given on Gradescope. Leave out `due`
  if Gradescope deducts points for lateness.
- A `results.json` is always written. If it reports an internal error, with 0 points, run the autograder again.
- `hidden_results` in `course.yaml` decides when results of answers and hidden cases are shown: `always`, `never`, or
  `after-due`, when Gradescope's due date has passed, or its late due date if there is one.

## Options

- `-q`: only these questions.
- `--seed-file`: the secret seed for hidden cases. Without it they are drawn from the public seed, so anyone can
  compute them.
- `--unsafe-no-sandbox`: runs code even if the container cannot confine it. A submission could then read the keys and
  write its own results, so it cannot be combined with a secret seed.

## How to use it

```
attncheck export gradescope-autograder -q Q5 -q Q6 --seed-file SEED --to autograder.zip
```

Upload the zip under *Configure Autograder*.
"""

from __future__ import annotations

import io
import json
import re
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import grader
from grader.core.errors import UsageError
from grader.core.model import Course, Message, Text
from grader.instructor.export import ExportOptions, ExportTarget

ABOUT = Message("A zip to upload as an autograder: this program, the course, and how to install both.")
SOURCE = "course"
OPTIONS = frozenset({"questions", "seed_file", "unsafe_no_sandbox"})

_PACKAGE = Path(grader.__file__).parent
_TEMPLATES = Path(__file__).parent / "templates"
_DEFAULTS = "questions/course.yaml"
#: A fixed time, so that equal content gives equal bytes.
_TIME = (1980, 1, 1, 0, 0, 0)
_KEYS = Message(
    "The zip contains the answer keys and references{seed}: upload it to Gradescope, and do not give it to learners."
)
_PUBLIC = Message(
    "Hidden cases are drawn from the public seed, so anyone can compute them; --seed-file makes them secret."
)


def write(course: Course, options: ExportOptions, out: ExportTarget) -> None:
    """Write a zip with the files that Gradescope expects at its root."""
    if options.unsafe_no_sandbox and options.seed_file is not None:
        said = Message("--unsafe-no-sandbox cannot be combined with --seed-file: unconfined code could read the seed.")
        raise UsageError(said)
    files = dict(_files(course, options))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system = 3  # Unix, so that file modes apply
            mode = 0o755 if name in ("setup.sh", "run_autograder") else 0o600 if name == "seed" else 0o644
            info.external_attr = (0o100000 | mode) << 16
            made.writestr(info, data, zipfile.ZIP_DEFLATED)
    out.write_file([archive.getvalue()])
    out.say(_KEYS.fill(seed=Message(" and the secret seed") if options.seed_file else Text("", "")))
    if options.seed_file is None:
        out.say(_PUBLIC)


def _files(course: Course, options: ExportOptions) -> Iterator[tuple[str, bytes]]:
    settings = {
        "format": 1,
        "attncheck": grader.__version__,
        "course": course.digest,
        "questions": list(options.questions),
        "lang": options.lang,
        "secret_seed": options.seed_file is not None,
        "unsafe_no_sandbox": options.unsafe_no_sandbox,
    }
    yield "attncheck.json", (json.dumps(settings, ensure_ascii=False, indent=1) + "\n").encode()
    yield "setup.sh", (_TEMPLATES / "setup.sh").read_bytes()
    yield "run_autograder", (_TEMPLATES / "run_autograder").read_bytes()
    yield "requirements.txt", "".join(f"{line}\n" for line in requirements(course.packages)).encode()
    if options.seed_file is not None:
        from grader.grading.inputs import Seed  # loads numpy

        Seed.from_file(options.seed_file)  # raises UsageError for a file that is not a seed
        yield "seed", options.seed_file.read_bytes()
    for path in sorted(_PACKAGE.rglob("*")):
        inner = path.relative_to(_PACKAGE)
        if path.is_file() and not {"__pycache__", "_content"} & set(inner.parts):
            yield f"attncheck/grader/{inner.as_posix()}", path.read_bytes()
    # The defaults for a course without a course.yaml.
    default = next(
        (file for file in (_PACKAGE / "_content" / _DEFAULTS, _PACKAGE.parent / _DEFAULTS) if file.is_file()), None
    )
    if default is not None:
        yield f"attncheck/grader/_content/{_DEFAULTS}", default.read_bytes()
    folder = Path(course.folder)
    for path in sorted([*folder.glob("course.yaml"), *folder.glob("questions/*.yaml"), *folder.glob("reference/*.py")]):
        yield f"course/{path.relative_to(folder).as_posix()}", path.read_bytes()


def requirements(packages: tuple[str, ...] = ()) -> list[str]:
    """The requirements for pip: those of attncheck, with this machine's torch, and the packages of the course."""
    from importlib import metadata  # slow to load, and `export --help` imports this module

    from grader.core import installed  # loads importlib.metadata

    project = _PACKAGE.parent / "pyproject.toml"
    if project.is_file():
        found = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    else:
        found = metadata.requires("attncheck") or []
    needed = [line for line in found if "extra ==" not in line]
    torch = metadata.version("torch").partition("+")[0]
    allowed = [f"{name}=={metadata.version(name)}" for name in installed.distributions(packages)]
    return [f"torch=={torch}" if re.match(r"torch\b", line) else line for line in needed] + allowed
