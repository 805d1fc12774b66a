"""`module.parameters()` contains everything that must be trained, and nothing unused. Torch only.

## What it checks

The matrices that the grader filled in through the adapter must be among the module's parameters, each must be a
parameter of its own that requires a gradient, and every parameter must influence the result. Besides them, only
biases may be trained. A plain class without `nn.Module` has no parameters, so the points go to the other checks.

## Why it matters

A weight kept as a plain tensor, or a layer in a Python list, gives correct results and is never trained. A projection
that is registered but not used wastes memory and hides a mistake.

## Options

- `biases`: whether biases may be trained besides the matrices. With `false`, not even a single vector may be.

## Example

```yaml
class: LearnedPositionalEncoding
signature: (max_len, d_model)
forward: (x)
adapter: table
reference: position.LearnedPositionalEncoding
array_types: [torch]
cases:
  - name: shorter than the table
    public: true
    construct: {max_len: 7, d_model: 4}
    parameters: {table: {normal: [7, 4]}}
    args: {x: {normal: [2, 5, 4]}}
checks:
  - {registered_parameters: {biases: false, weight: 0.8}}
mistakes:
  - misconception: plain-tensor
    in: LearnedPositionalEncoding.__init__
    replace: nn.Parameter(0.02 * torch.randn(max_len, d_model))
    with: 0.02 * torch.randn(max_len, d_model)
    fails: [registered_parameters]
```

## Source

PyTorch documentation, torch.nn.Module.parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from grader.core.model import Apply, CheckSpec, Message, Program, Returned, Status, Text, Unreadable, Verdict
from grader.core.text import name_list
from grader.grading.checks import CheckKind, JudgeInput, read
from grader.grading.failures import verdict
from grader.grading.inputs import Drawn
from grader.grading.programs import Target, Writer

_MAX_NDIM = 8


@dataclass(frozen=True, slots=True)
class Options:
    """Whether biases may be trained besides the matrices."""

    biases: bool = True


KIND = CheckKind(
    Message("registered parameters", "check"),
    Options,
    alone=Message("Every result is correct; only the parameters are not registered as they should be."),
)


_PLAIN = Message("a plain class has no parameters to register")
_MISSING = Message(
    "the class has nothing for {names}; besides its matrices it has {has}. Is one module used twice, or missing?"
)
_HIDDEN = Message(
    "{names} will never be trained: not among the module's `parameters()` (a plain tensor, or a layer in a list?)"
)
_SOME_IDLE = Message("no gradient reaches some of the parameters: they would never be trained")
_OTHER_NUMBER = Message("the module does not have the number of trainable values that it needs")
_IDLE = Message("no gradient reaches the parameter {names}: it would never be trained")
_MANY = Message("the module has {got} parameters besides biases; the projections need {expected}")
_ONLY = Message("the module has {got} trainable numbers in its parameters; exactly {expected} are needed")
SECRETS = (_PLAIN, _SOME_IDLE, _OTHER_NUMBER)


def calls(target: Target, drawn: Drawn, spec: CheckSpec) -> tuple[Program, ...]:
    """Where the projections are, and every parameter with whether a gradient reaches it."""
    writer = Writer.to(target)
    made, filled = writer.instance(drawn)
    called = writer.call(drawn, instance=made)
    described = writer.add(Apply("describe", (filled,)))
    listed = writer.add(Apply("parameters", (made, called.output)))
    return (writer.program(described, listed),)


def judge(seen: JudgeInput) -> Verdict:
    """Looks for parameters that are shared, missing, unregistered, frozen, idle or too many, in this order."""
    match seen.got:
        case (Returned((found, None)),):
            return Verdict(Status.SKIPPED, _PLAIN, applies=False)
        case (Returned((found, listed)),) if _well_formed(found, listed, {role for role, _ in seen.drawn.parameters}):
            message = finding(seen, found, listed)
            return Verdict(Status.PASSED) if message is None else Verdict(Status.FAILED, message)
    return verdict(Unreadable("protocol"), public=True)


def _well_formed(description: Any, listed: Any, roles: set[str]) -> bool:
    """Whether the child's description of its parameters has the form that our code in the child writes."""
    match description, listed:
        case {
            "attributes": dict() as places,
            "shared": list() as shared,
            "registered": dict(),
            "trainable": dict(),
        }, list():
            pairs = [*shared, *([[name, name] for name in description.get("missing", ())])]
            return (
                all(isinstance(path, str) for path in places.values())
                and all(isinstance(pair, list) and len(pair) == 2 for pair in shared)
                and all(isinstance(name, str) for pair in pairs for name in pair)
                and roles.issuperset((*places, *description.get("missing", ())))
                and all(name in places for pair in shared for name in pair)
                and all(role in places for role in (*description["registered"], *description["trainable"]))
                and all(_parameter(entry) for entry in listed)
            )
    return False


def _parameter(entry: Any) -> bool:
    match entry:
        case [str(), list() as shape, bool(), bool()] if len(shape) <= _MAX_NDIM:
            return all(type(size) is int and 0 <= size < 1 << 40 for size in shape)
    return False


def finding(seen: JudgeInput, description: dict[str, Any], listed: list[Any]) -> Text | None:
    """The first thing that is wrong with the module's parameters, if any."""
    # Learners choose the names of attributes, so hidden cases show the roles instead.
    attributes: dict[str, str] = (
        description["attributes"] if seen.case.public else {role: role for role in description["attributes"]}
    )
    if description["shared"]:
        a, b = description["shared"][0]
        return Message("{a} and {b} share one parameter: each needs its own").fill(a=attributes[a], b=attributes[b])
    if missing := description.get("missing"):
        held = [attributes[name] for name, value in seen.drawn.parameters if value.ndim == 1 and name in attributes]
        return _MISSING.fill(names=name_list(missing), has=name_list(held) if held else Message("nothing"))
    if hidden := [attributes[role] for role, is_in in sorted(description["registered"].items()) if not is_in]:
        return _HIDDEN.fill(names=name_list(hidden))
    if frozen := [attributes[role] for role, learns in sorted(description["trainable"].items()) if not learns]:
        return Message("{names} has `requires_grad=False` and will never be trained").fill(names=name_list(frozen))
    if idle := [name for name, _, trainable, reached in listed if trainable and not reached]:
        return _IDLE.fill(names=name_list(idle[:4])) if seen.case.public else _SOME_IDLE
    expected = sum(value.size for _, value in seen.drawn.parameters if value.ndim != 1)
    if not read(seen.spec, Options).biases:
        learnt = sum(math.prod(shape) for _, shape, trainable, _ in listed if trainable)
        text = _ONLY.fill(got=learnt, expected=expected) if seen.case.public else _OTHER_NUMBER
        return None if learnt == expected else text
    vectors = {attributes.get(name) for name, value in seen.drawn.parameters if value.ndim == 1}
    matrices = sum(math.prod(shape) for name, shape, _, _ in listed if len(shape) != 1 and name not in vectors)
    if matrices != expected:
        return _MANY.fill(got=matrices, expected=expected) if seen.case.public else _OTHER_NUMBER
    return None
