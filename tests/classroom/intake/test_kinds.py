from __future__ import annotations

from datetime import UTC, datetime

import pytest

from grader.classroom.intake import FoundSubmission, Layout, Person, Tree, detect_layout, kinds
from grader.core.errors import UsageError


def tree(files: dict[str, str] | list[str], kind: str | None = None) -> tuple[str, Layout]:
    """What is seen in a tree with these files, most of them empty."""
    content = files if isinstance(files, dict) else dict.fromkeys(files, "")
    found = detect_layout(Tree(tuple(content), lambda name: content[name].encode(), lambda name: None), kind)
    assert found is not None
    return found


def summary(layout: Layout) -> dict[str, tuple[str, list[str]]]:
    """Key → who, and the files as they will be read."""
    return {
        p.key: (", ".join(who.name for who in p.people), [inner for _, inner in p.files]) for p in layout.submissions
    }


METADATA = """
submission_1:
  :submitters:
  - :name: Ada Invented
    :sid: '100'
    :email: ada@example.org
  - :name: Bo Invented
    :sid:
  :created_at: 2026-11-06 07:13:47.644186000 Z
  :history: [{}, {}]
submission_2:
  submitters: [{name: Cy Invented}]
  created_at: '2026-11-06 08:00:00 +0100'
paper.pdf: 3
"""


@pytest.mark.parametrize(
    ("kind", "files", "expected", "leftovers"),
    [
        (
            "canvas",
            [
                "doejane_1234_5678_q05.py",
                "doejane_1234_5679_answers.yaml",
                "quizbo_LATE_77_88_Q5 final.ipynb",
                "李雷_9_10_作业_1_2_q05.py",
                "quizbo_LATE_77_text.html",
                "notes.txt",
            ],
            {
                "canvas-1234": ("doejane", ["q05.py", "answers.yaml"]),
                "canvas-77": ("quizbo", ["Q5 final.ipynb"]),
                "canvas-9": ("李雷", ["作业_1_2_q05.py"]),
            },
            ("notes.txt", "quizbo_LATE_77_text.html"),
        ),
        (
            "canvas",
            ["LATE_anon_x1Y_5_a.py", "anon_zz9_6_a.py"],
            {"canvas-anon_x1Y": ("anon_x1Y", ["a.py"]), "canvas-anon_zz9": ("anon_zz9", ["a.py"])},
            (),
        ),
        (
            "canvas",
            ["doejane_1_2_q05.py", "doejane_1_3_q05.py", "doejane_1_4_Q05.PY"],
            {"canvas-1": ("doejane", ["q05.py", "q05-2.py", "Q05-3.PY"])},
            (),
        ),
        (
            "canvas",
            ["doejane_1_2_q05-1.py", "doejane_1_3_answers-12.yaml", "doejane_1_4_my-own-0.py", "bo_LATE_5_6_q05.py"],
            {"canvas-1": ("doejane", ["q05.py", "answers.yaml", "my-own-0.py"]), "canvas-5": ("bo", ["q05.py"])},
            (),
        ),
        (
            "canvas",
            [f"doejane_1_{number}_q05-{number}.py" for number in (2, 9, 10)] + ["doejane_1_3_answers-1.yaml"],
            {"canvas-1": ("doejane", ["q05.py", "q05_2.py", "answers.yaml", "q05_9.py"])},
            (),
        ),
        (
            "canvas",
            ["doejane_1_2_Q05.py", "doejane_1_3_q05-1.py"],
            {"canvas-1": ("doejane", ["Q05.py", "q05-1.py"])},
            (),
        ),
        (
            "moodle",
            [
                "Ada de la Cruz_657768_assignsubmission_file_/q05.py",
                "Ada de la Cruz_657768_assignsubmission_file_/sub/q06.py",
                "Bo_12_assignsubmission_file/q05.py",
                "Bo_12_assignsubmission_onlinetext/onlinetext.html",
                "Default team_assignsubmission_file_/q05.py",
            ],
            {
                "moodle-657768": ("Ada de la Cruz", ["q05.py", "sub/q06.py"]),
                "moodle-12": ("Bo", ["q05.py"]),
                "moodle-Default team": ("Default team", ["q05.py"]),
            },
            ("Bo_12_assignsubmission_onlinetext/onlinetext.html",),
        ),
        (
            "moodle",
            ["Participant_5_assignsubmission_file_q05.py", "Participant_6_assignsubmission_file_my_q05.py"],
            {"moodle-5": ("Participant", ["q05.py"]), "moodle-6": ("Participant", ["my_q05.py"])},
            (),
        ),
        (
            "gradescope",
            {
                "assignment_9_export/submission_metadata.yml": METADATA,
                "assignment_9_export/submission_1/q05.py": "",
                "assignment_9_export/submission_1/lib/q06.py": "",
                "assignment_9_export/submission_2/q05.py": "",
                "assignment_9_export/submission_3/q05.py": "",
                "assignment_9_export/.DS_Store": "",
            },
            {
                "gradescope-submission_1": ("Ada Invented, Bo Invented", ["lib/q06.py", "q05.py"]),
                "gradescope-submission_2": ("Cy Invented", ["q05.py"]),
            },
            ("assignment_9_export/submission_3/q05.py",),
        ),
        (
            "nbgrader",
            {
                "source/ps1/ps1.ipynb": "",
                "submitted/ada/ps1/ps1.ipynb": "",
                "submitted/ada/ps1/timestamp.txt": "2026-11-20 18:00:00.5 UTC",
                "submitted/bo/ps1/ps1.ipynb": "",
                "submitted/bo/ps1/.ipynb_checkpoints/ps1.ipynb": "",
                "submitted/bo/ps1/feedback/ps1.html": "",
                "feedback/bo/ps1/ps1.html": "",
            },
            {"nbgrader-ada": ("ada", ["ps1.ipynb"]), "nbgrader-bo": ("bo", ["ps1.ipynb"])},
            ("source/ps1/ps1.ipynb",),
        ),
        (
            "nbgrader",
            {"ada/ps1/timestamp.txt": "soon", "ada/ps1/a.ipynb": "", "ada/ps2/b.ipynb": ""},
            {"nbgrader-ada/ps1": ("ada", ["a.ipynb"]), "nbgrader-ada/ps2": ("ada", ["b.ipynb"])},
            (),
        ),
        (
            "folders",
            ["ada/q05.py", "ada/q06.py", "bo.py", "cy.zip", "README.md", ".git/config", "notes.txt", "__MACOSX/bo.py"],
            {"ada": ("ada", ["q05.py", "q06.py"]), "bo.py": ("bo", ["bo.py"]), "cy.zip": ("cy", ["cy.zip"])},
            ("notes.txt",),
        ),
    ],
)
def test_trees(
    kind: str, files: dict[str, str], expected: dict[str, tuple[str, list[str]]], leftovers: tuple[str, ...]
) -> None:
    """Each kind is told from the others by looking, every file comes to whom it belongs, and the rest is named."""
    found, layout = tree(files)
    assert found == kind
    assert summary(layout) == expected
    assert layout.leftovers == leftovers


def test_what_a_course_system_knows_is_kept() -> None:
    """Numbers to match with, times in UTC, how often something was handed in, and what was late."""
    (_, layout) = tree({"submission_metadata.yml": METADATA, "submission_1/a.py": "", "submission_2/a.py": ""})
    first, second = layout.submissions
    assert first.people == (
        Person("Ada Invented", (("sid", "100"), ("email", "ada@example.org"))),
        Person("Bo Invented"),
    )
    assert first.at is not None
    assert first.at.replace(microsecond=0) == datetime(2026, 11, 6, 7, 13, 47, tzinfo=UTC)
    assert second.at == datetime(2026, 11, 6, 7, 0, tzinfo=UTC)
    assert (first.attempt, second.attempt) == (3, 1)
    (_, layout) = tree(["a_LATE_5_6_x.py", "b_7_8_x.py"])
    assert [(p.late, p.people[0].ids) for p in layout.submissions] == [
        (True, (("canvas", "5"),)),
        (False, (("canvas", "7"),)),
    ]
    (_, layout) = tree({"submitted/ada/ps1/a.ipynb": "", "submitted/ada/ps1/timestamp.txt": "2026-11-20 18:00:00 UTC"})
    assert layout.submissions[0].at == datetime(2026, 11, 20, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    [
        "{",
        "[1, 2]",
        "just words",
        "[" * 100_000,
        "- " * 100_000,
        "a: 2026-13-01 10:00:00",
        "a: !!float x",
        "a: !!binary é",
        "\0",
    ],
    ids=lambda raw: raw[:12],
)
def test_broken_metadata_are_the_exports_fault(raw: str) -> None:
    """The message names the file and says what to do."""
    with pytest.raises(UsageError, match=r"submission_metadata\.yml"):
        tree({"submission_metadata.yml": raw, "submission_1/a.py": ""})


STRANGE = """
submission_1:
  submitters: 3
  created_at: 0001-01-01 00:00:00 +14:00
submission_2:
  submitters: &all [{name: &many [a, b], sid: *many, email: 0xffffffffffffffffffffffffffffffffffffffffffffffffffffff}]
  history: *all
"""


def test_strange_metadata_say_little() -> None:
    """What is no name, number or time is left out; aliases to whole lists name nobody."""
    files = {"submission_metadata.yml": STRANGE, "submission_1/a.py": "", "submission_2/a.py": ""}
    first, second = tree(files)[1].submissions
    assert (first.people, first.at) == ((Person("submission_1"),), None)
    assert (second.people, second.attempt) == ((Person("submission_2"),), 2)


@pytest.mark.parametrize(
    "results",
    [
        "!ruby/hash:ActiveSupport::HashWithIndifferentAccess {score: 1}",
        "!ruby/object:Set [1, 2]",
        "!ruby/symbol late",
        "!!python/object/apply:os.system [exit 1]",
        "&own !ruby/array:A [*own]",
        "[&a {b: c}, {<<: *a}, =]",
    ],
)
def test_what_other_languages_make_of_metadata(results: str) -> None:
    """Their tags are not obeyed and in nobody's way; what is beside them is read."""
    raw = f"submission_1:\n  :submitters:\n  - !ruby/hash:A\n    :name: Ada\n  :results: {results}\n"
    (one,) = tree({"submission_metadata.yml": raw, "submission_1/a.py": ""})[1].submissions
    assert one.people == (Person("Ada"),)


@pytest.mark.parametrize(
    ("kind", "files", "expected"),
    [
        (
            "folders",
            ["ada/q05.py", "bo/src/q05.py", "cy.zip"],
            {"ada": ["q05.py"], "bo": ["src/q05.py"], "cy.zip": ["cy.zip"]},
        ),
        ("folders", ["ada.zip", "bo.zip", "notes.txt"], {"ada.zip": ["ada.zip"], "bo.zip": ["bo.zip"]}),
        ("canvas", ["doejane_1_2_q05.py", "doejane_1_3_q06.py", "notes.txt"], {"canvas-1": ["q05.py", "q06.py"]}),
        ("nbgrader", ["submitted/ada/ps1/a.ipynb"], {"nbgrader-ada": ["a.ipynb"]}),
        ("folders", ["q05.py", "lib/q06.py", "more/q07.py"], None),
        ("folders", ["src/q05.py", "data/x.csv"], None),
        ("folders", ["attention/q05.py"], None),
        ("folders", ["work.zip"], None),
    ],
)
def test_a_folder_around_a_class(kind: str, files: list[str], expected: dict[str, list[str]] | None) -> None:
    """It is not taken for a learner; but the folder of one learner is, whose work lies in it or in one below."""
    found, layout = tree([f"class/{name}" for name in files] + [".DS_Store"])
    assert found == kind
    inside = {key: names for key, (_, names) in summary(layout).items()}
    assert inside == ({"class": sorted(files)} if expected is None else expected)
    names = {name for placed in layout.submissions for name, _ in placed.files} | set(layout.leftovers)
    assert names == {f"class/{name}" for name in files}


def test_who_names_folders_means_those_at_the_top() -> None:
    """One learner with two folders can be graded, too."""
    assert list(summary(tree(["ada/src/q05.py", "ada/more/q06.py"], "folders")[1])) == ["ada"]
    assert list(summary(tree(["class/ada_1_2_q05.py"], "canvas")[1])) == ["canvas-1"]


def test_times_beyond_the_calendar_say_nothing() -> None:
    """There is no such moment in UTC."""
    stamp = {"submitted/ada/ps1/a.ipynb": "", "submitted/ada/ps1/timestamp.txt": "0001-01-01 00:00:00+14:00"}
    assert tree(stamp)[1].submissions[0].at is None


def test_a_kind_can_be_chosen() -> None:
    """A course may name its learners like a course system's files."""
    assert tree(["doejane_1_2_q05.py"], "folders")[1].submissions == (
        FoundSubmission(
            "doejane_1_2_q05.py",
            (Person("doejane_1_2_q05", (("learner", "doejane_1_2_q05"), ("entry", "doejane_1_2_q05.py"))),),
            (("doejane_1_2_q05.py",) * 2,),
        ),
    )
    assert detect_layout(Tree(("ada.py",), lambda name: b"", lambda name: None), "moodle") is None


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            ["doejane_1_2_q05.py", "bo_3_4_q05.py", "cy.py"],
            "canvas or folders; these top-level entries do not fit: cy.py",
        ),
        (
            ["A_1_assignsubmission_file_/q.py", "B_2_assignsubmission_file_/q.py", "extra/q.py"],
            "moodle or folders; these top-level entries do not fit: extra",
        ),
        (["A_1_assignsubmission_file_3_4_q05.py"], "moodle or canvas"),
        (["class/doejane_1_2_q05.py", "class/bo_3_4_q05.py", "class/cy.py"], "canvas or folders"),
        ([f"{n}_1_2_q.py" for n in "abcdefghijkl"] + [f"odd{n}.py" for n in range(10)], "odd7.py and 2 more"),
    ],
)
def test_a_tree_that_could_be_of_two_kinds(files: list[str], said: str) -> None:
    """Is refused with the candidates and the entries that do not fit; whoever is asked, decides."""
    with pytest.raises(UsageError, match=r"--intake \(") as caught:
        tree(files)
    assert said in str(caught.value)
    candidates = said.partition(";")[0].split(" or ")
    for kind in candidates if len(candidates) == 2 and all(name in kinds() for name in candidates) else ():
        assert tree(files, kind)[0] == kind


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        (["ada/q.py", "bo/x/receipt.json", "bo/timestamp.txt"], "folders"),
        (["ada.py", "bo.py", "cy_1_2_q.py"], "folders"),
        (["a_1_2_q.py", "b_3_4_q.py", "syllabus.txt", "grades.csv", "notes/", ".git/config"], "canvas"),
        (["submitted/a/p/q.py", "source/p/q.ipynb", "nbgrader_config.py", "gradebook.db", "README.md"], "nbgrader"),
    ],
)
def test_strays_that_change_nothing(files: list[str], kind: str) -> None:
    """A minority that looks like another kind, and what could not be graded, leave the kind as it is."""
    assert tree(files)[0] == kind


@pytest.mark.parametrize(
    ("kind", "files", "people"),
    [
        ("folders", ["ada.pdf", "bo.py", "cy.rar", "bo.docx", "notes.txt"], ["bo", "ada", "cy"]),
        ("folders", ["ada/", "bo/src/", "bo.py"], ["ada", "bo", "bo"]),
        ("canvas", ["a_1_2_q.py", "b_77_text.html", "a_1_text.html"], ["a", "b"]),
        ("moodle", ["A_1_assignsubmission_file_/q.py", "B_2_assignsubmission_onlinetext/onlinetext.html"], ["A", "B"]),
        ("moodle", ["A_1_assignsubmission_file_/q.py", "B_2_assignsubmission_file_/"], ["A", "B"]),
        ("nbgrader", ["submitted/ada/p/q.py", "submitted/bo/", "submitted/cy/p/timestamp.txt"], ["ada", "bo", "cy"]),
        ("inbox", ["ada/", "bo/T/receipt.json"], ["ada"]),
    ],
)
def test_nobody_is_lost(kind: str, files: list[str], people: list[str]) -> None:
    """Who handed in nothing that could be graded is somebody all the same."""
    _, layout = tree(files, kind)
    assert sorted(p.people[0].name for p in layout.submissions) == sorted(people)


def test_a_lone_folder_of_a_learner() -> None:
    """Is not looked into where the roster knows its name: what is inside would name others."""
    files = ["mallory/ada/q05.py", "mallory/bob/q05.py"]
    found = detect_layout(Tree(tuple(files), lambda name: b"", lambda name: None), known=lambda name: name == "mallory")
    assert found is not None and list(summary(found[1])) == ["mallory"]
    assert list(summary(tree(files)[1])) == ["ada", "bob"]


def test_the_folder_is_the_list() -> None:
    """Plain folders, which take anything, are asked last."""
    assert list(kinds())[-1] == "folders"
    assert detect_layout(Tree((), lambda name: b"", lambda name: None)) is None
