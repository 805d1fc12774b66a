"""What ``attncheck doctor`` says about this machine's layers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from grader.sandbox import Sandbox, layers, policy


def test_the_probe_finds_what_the_sandbox_uses(sandbox: Sandbox) -> None:
    """Layers that are probed as present are those that children are confined by."""
    found = {layer.name: layer for layer in layers.probe()}
    assert list(found) == ["seccomp", "landlock", "namespaces", "rlimits"]
    assert [name for name, layer in found.items() if layer.needed] == ["seccomp", "landlock", "rlimits"]
    assert found["seccomp"].present and found["landlock"].present
    assert f"landlock-{found['landlock'].detail.removeprefix('ABI ')}" in sandbox.layers
    assert found["namespaces"].present is ("userns" in sandbox.layers)
    assert all(layer.detail for layer in found.values())


@pytest.mark.parametrize("printed", ["0", "", "Traceback"])
def test_a_machine_without_layers_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch, printed: str) -> None:
    """What is missing has a remedy in words."""

    def run(*args: Any, **kwargs: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(args, 0 if printed == "0" else 1, printed if printed == "0" else "", "")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(policy, "seccomp_program", lambda: b"")
    found = {layer.name: layer for layer in layers.probe()}
    for name, word in (("seccomp", "libseccomp2"), ("landlock", "5.13"), ("namespaces", "sysctl")):
        assert not found[name].present
        assert word in found[name].remedy


def test_another_system_has_no_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """There, one line says why, and what to use instead."""
    monkeypatch.setattr(sys, "platform", "darwin")
    (only,) = layers.probe()
    assert only.needed and not only.present and "Linux" in only.remedy
