"""Inputs that are views with gaps in memory give the same result.

## What it checks

The call is made with strided copies of the arguments, and its result must agree with that of the reference. An
exception from `view` is explained: `view` needs contiguous memory, `reshape` does not.

## Why it matters

Splitting and merging heads transposes tensors, and every transposed tensor is non-contiguous. Code that was tested
only on new tensors fails as soon as it is used in a model.

## Example

```yaml
function: merge_heads
signature: (heads)
reference: heads.merge_heads
cases:
  - {name: a batch, public: true, args: {heads: {normal: [2, 3, 5, 4]}}}
checks:
  - {non_contiguous: {on: [a batch], weight: 0.2}}
mistakes:
  - misconception: view
    body: |
      heads.view(-1)
      return heads.transpose(-3, -2).flatten(-2)
    fails: [non_contiguous]
```

## Source

PyTorch documentation, torch.Tensor.view.
"""

from __future__ import annotations

from grader.core.model import CheckSpec, Message, Program, Raised, Status, Verdict
from grader.grading.checks import CheckKind, JudgeInput, values
from grader.grading.failures import failure_verdict, reference_failure
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

KIND = CheckKind(
    Message("non-contiguous", "check"),
    alone=Message(
        "Every result is correct for ordinary arrays, but wrong as soon as an argument is a transposed or sliced view."
    ),
    reference=True,
    failures=True,
)


_VIEW = Message(
    "it fails on inputs that are not contiguous in memory (a transposed tensor, say): "
    "view needs contiguous memory, reshape does not"
)
SECRETS = (_VIEW, *values.SECRETS)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """One call on strided copies."""
    writer = Writer.to(target)
    return (writer.program(writer.call(drawn, layout="strided").output),)


def judge(seen: JudgeInput) -> Verdict:
    """As for values; an exception from torch's ``view`` is explained."""
    match seen.got:
        case (Raised(type="RuntimeError", text=text),) if "view" in text or "contiguous" in text:
            return Verdict(Status.FAILED, _VIEW)
    failed = reference_failure(seen.expected) or failure_verdict(seen.got, seen.case)
    return failed or values.judge(seen)
