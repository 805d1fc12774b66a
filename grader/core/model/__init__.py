"""The types that all rooms share: frozen dataclasses with hardly any logic, one module for each subject.

Sequences are tuples; mappings are tuples of pairs. NumPy is imported for the type checker alone, and pydantic not at
all, so that commands which print text start fast. Other rooms import all names from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# A name on each line would take 200 lines.
# fmt: off
# isort: off
from grader.core.model.course import (
    Case as Case, CheckSpec as CheckSpec, Course as Course, Deferred as Deferred, Edit as Edit, Edition as Edition,
    Alternative as Alternative, Equivalent as Equivalent, Exercise as Exercise, Item as Item, Landmark as Landmark,
    Misconception as Misconception, Mistake as Mistake, Pace as Pace, Parameter as Parameter, Question as Question,
    Rules as Rules, Source as Source, Variant as Variant, deferred_spec as deferred_spec
)
from grader.core.model.observations import (
    Died as Died, MissingModule as MissingModule, NotRun as NotRun, Observation as Observation, Observed as Observed,
    Raised as Raised, Returned as Returned, TimedOut as TimedOut, TooBig as TooBig, Unreadable as Unreadable
)
from grader.core.model.programs import (
    Apply as Apply, Argument as Argument, Array as Array, Call as Call, Job as Job, Limits as Limits,
    LocatedOwn as LocatedOwn, Probing as Probing, Program as Program, Ref as Ref, ResourceUsage as ResourceUsage,
    Step as Step, Value as Value
)
from grader.core.model.recipes import (
    Causal as Causal, Integers as Integers, Literal_ as Literal_, Made as Made, Normal as Normal, Own as Own,
    Permutation as Permutation, RandomMask as RandomMask, Recipe as Recipe, Same as Same, Shape as Shape,
    Symbol as Symbol
)
from grader.core.model.results import (
    ArrayComparison as ArrayComparison, Diagnosis as Diagnosis, Difference as Difference,
    ExerciseResult as ExerciseResult, ItemResult as ItemResult, Outcome as Outcome, QuestionResult as QuestionResult,
    Report as Report, Span as Span, Status as Status, Verdict as Verdict, Voice as Voice, WatchState as WatchState
)
from grader.core.model.submission import (
    Answer as Answer, Notice as Notice, Part as Part, SourceFile as SourceFile, Submission as Submission
)
from grader.core.model.text import (
    ArrayType as ArrayType, Lang as Lang, Message as Message, Text as Text, Visibility as Visibility
)

if TYPE_CHECKING:
    from grader.core.model.observations import Observe as Observe
    from grader.core.model.programs import AnyArray as AnyArray
