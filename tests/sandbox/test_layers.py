"""What ``attncheck doctor`` reports about this machine's layers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from grader.core.errors import SandboxError
from grader.sandbox import Sandbox, layers, policy
from grader.sandbox.inside import confine


def test_the_probe_finds_what_the_sandbox_uses(sandbox: Sandbox) -> None:
    """Layers that the probe reports are those that confine children."""
    found = {layer.name: layer for layer in layers.probe()}
    assert list(found) == ["seccomp", "landlock", "namespaces", "rlimits"]
    assert [name for name, layer in found.items() if layer.needed] == ["seccomp", "landlock", "rlimits"]
    assert found["seccomp"].present and found["landlock"].present and confine.filters()
    assert f"landlock-{found['landlock'].detail.en.removeprefix('ABI ')}" in sandbox.layers
    assert found["namespaces"].present is ("userns" in sandbox.layers)
    assert all(layer.detail.en and layer.detail.zh for layer in found.values())


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (subprocess.CompletedProcess((), -9, "", ""), "could not be tested .exit code -9."),
        (subprocess.CompletedProcess((), 1, "1 ", "Traceback\nMemoryError"), "could not be tested .MemoryError."),
        (subprocess.CompletedProcess((), 0, "", ""), "could not be tested"),
        (BlockingIOError(11, "Resource temporarily unavailable"), "could not be tested .*temporarily unavailable"),
    ],
)
def test_a_probe_that_fails_says_nothing_about_the_layers(
    done: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed or failed probe is reported as such, not as a missing layer."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if isinstance(done, OSError):
            raise done
        return done

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(SandboxError, match=said):
        layers.probe()


def test_a_machine_without_layers_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every missing layer has a remedy."""
    done = subprocess.CompletedProcess((), 0, "0 0", "")
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: done)
    monkeypatch.setattr(policy, "seccomp_program", lambda: b"")
    found = {layer.name: layer for layer in layers.probe()}
    for name, word in (("seccomp", "libseccomp2"), ("landlock", "5.13"), ("namespaces", "sysctl")):
        assert not found[name].present
        assert word in found[name].remedy.en


@pytest.mark.parametrize(
    ("printed", "name", "detail", "remedy"),
    [
        ("1 -38", "landlock", "does not offer", "5.13"),
        ("1 -95", "landlock", "not enabled", "lsm="),
        ("1 -1", "landlock", "forbidden", "Docker"),
        ("1 -22", "landlock", "does not offer", "5.13"),
        ("0 7 userns", "seccomp", "not support filters", "CONFIG_SECCOMP_FILTER"),
    ],
)
def test_why_a_layer_is_missing(
    printed: str, name: str, detail: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is given, with a remedy for that reason."""
    done = subprocess.CompletedProcess((), 0, printed, "")
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: done)
    layer = next(layer for layer in layers.probe() if layer.name == name)
    assert not layer.present and layer.needed
    assert detail in layer.detail.en
    assert remedy in layer.remedy.en


def test_another_system_has_no_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """On other systems one finding says why, and what to use instead."""
    monkeypatch.setattr(sys, "platform", "darwin")
    (only,) = layers.probe()
    assert only.needed and not only.present and "Linux" in only.remedy.en
