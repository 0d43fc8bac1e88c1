"""The lines of a run's header: with what contracts are measured, and what comes of it."""

from __future__ import annotations

import platform
from importlib.metadata import version

from pytest_compilecheck.pytest_layer.installed import torch_build, torch_version
from pytest_compilecheck.pytest_layer.settings import Settings
from pytest_compilecheck.releases import best_effort


def header_text(settings: Settings, *, shared: bool = False) -> str:
    """Versions, the backend and the modes; torch is not imported for it.

    `shared` tells that several processes run tests, and share the cores.
    """
    facts = [
        f"torch {torch_version()}",
        f"python {platform.python_version()}",
        f"backend {settings.backend}",
        *_modes(settings, shared=shared),
    ]
    return f"compilecheck {version('pytest-compilecheck')}: {', '.join(facts)}"


def header_notes() -> list[str]:
    """That the installed torch is none of those that are known to work; () where it is."""
    told = best_effort(torch_build())
    return [f"compilecheck: {told}"] if told else []


def _modes(settings: Settings, *, shared: bool) -> list[str]:
    modes = []
    if settings.active:
        modes.append("contracts reported only" if settings.warn else "contracts held")
    if settings.strict:
        modes.append("strict")
    if settings.audit:
        modes.append("every test watched")
    if settings.policies:
        noisy = " (tests run in several processes, which share the cores: timings are noisy)"
        modes.append(f"policies compared{noisy if shared else ''}")
    if settings.baseline is not None:
        from pytest_compilecheck.report.wording import printable

        modes.append(f"baseline {printable(str(settings.baseline))}")
    return modes
