"""Settings of the process that decide how torch compiles: read, compared, put back."""

from __future__ import annotations

import copy
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import torch

from pytest_compilecheck.observe import torch_adapter

Settings = dict[str, Any]
"""Full name of a setting ("torch._dynamo.config.recompile_limit") to its value."""

Transient = Callable[[logging.Handler], bool]
"""Whether a log handler comes and goes by itself, as those of a test runner do."""

_TRACE = "torch.__trace"  # the logger of torch's structured trace
_STANCE = "torch.compiler stance"
_LOG_STATE = "torch._logging settings"
_MODES: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "grad mode": (torch.is_grad_enabled, torch.set_grad_enabled),
    "default dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "deterministic algorithms": (  # 0 off, 1 warn, 2 error
        torch.get_deterministic_debug_mode,
        torch.set_deterministic_debug_mode,
    ),
    "intra-op threads": (torch.get_num_threads, torch.set_num_threads),
    "default device": (torch_adapter.default_device, torch_adapter.set_default_device),
    # What a test replaces or switches off for itself decides what the next one sees.
    "torch.compile": (lambda: torch.compile, lambda value: setattr(torch, "compile", value)),
    "logging.disable": (lambda: logging.root.manager.disable, logging.disable),
    "sys.settrace": (sys.gettrace, sys.settrace),
    "sys.setprofile": (sys.getprofile, sys.setprofile),
}


def read_settings(transient: Transient) -> Settings:
    """All settings as they are now: torch's config modules, loggers, stance and global modes.

    Transient handlers are no part of a logger's setting.
    """
    settings: Settings = {
        f"{name}.{key}": value
        for name, module in _config_modules()
        for key, value in _config_values(module).items()
    }
    for name, logger in _torch_loggers():
        # torch's own lazy handler takes itself off the trace at the first event.
        lasting = tuple(
            handler
            for handler in logger.handlers
            if not transient(handler) and type(handler).__name__ != "LazyTraceHandler"
        )
        settings[f"logger {name}"] = (logger.level, logger.propagate, logger.disabled, lasting)
    settings[_STANCE] = torch_adapter.stance_object()
    settings[_LOG_STATE] = torch_adapter.log_state()
    settings |= {name: read() for name, (read, _) in _MODES.items()}
    return settings


def leaked(
    before: Settings, after: Settings, held: Mapping[str, Sequence[Any]] = MappingProxyType({})
) -> dict[str, Any]:
    """Settings that a test, or a fixture of its own, left changed, with the values to put back.

    `held` are values that fixtures of wider scope found and set, by name of the setting and in
    order: such a one is nobody's leak, and what the test put in its place is put back to the last.
    """
    return {
        name: held[name][-1] if held.get(name) else before[name]
        for name, value in after.items()
        if name in before
        and not any(_same(value, known) for known in (before[name], *held.get(name, ())))
    }


def changed(before: Settings, after: Settings) -> Iterator[tuple[str, Any, Any]]:
    """Settings that differ: name, the value before and after."""
    for name, value in after.items():
        if name in before and not _same(value, before[name]):
            yield name, before[name], value


def vanished(before: Settings, after: Settings) -> Settings:
    """Settings that torch no longer knows, with their values.

    pytest's monkeypatch and unittest's mock delete a setting when they undo what they did, and
    torch takes that for a setting that does not exist.
    """
    return {name: value for name, value in before.items() if name not in after}


def worth_telling(names: Iterable[str]) -> list[str]:
    """The names without those that follow from another.

    set_logs changes all loggers of torch, and so does who goes through all of them: the topmost of
    those that changed is told.
    """
    found = sorted(names)
    return [name for name in found if not name.startswith("logger ") or not _follows(name, found)]


def _follows(logger: str, names: Sequence[str]) -> bool:
    return _LOG_STATE in names or any(logger.startswith(f"{name}.") for name in names)


def put_back(settings: Settings, transient: Transient) -> None:
    """Set each of these settings to its value; transient handlers stay."""
    modules = dict(_config_modules())
    for name, value in settings.items():
        if name == _STANCE:
            torch_adapter.set_stance_object(value)
        elif name == _LOG_STATE:
            torch_adapter.set_log_state(value)
        elif name in _MODES:
            _MODES[name][1](value)
        elif name.startswith("logger "):
            _set_logger(logging.getLogger(name.removeprefix("logger ")), value, transient)
        else:
            owner = next(known for known in modules if name.startswith(f"{known}."))
            setattr(modules[owner], name.removeprefix(f"{owner}."), value)


@contextmanager
def settings_kept(transient: Transient) -> Iterator[None]:
    """Put back, after the block, each setting that the block left changed."""
    before = read_settings(transient)
    try:
        yield
    finally:
        after = read_settings(transient)
        put_back({**leaked(before, after), **vanished(before, after)}, transient)


@contextmanager
def trace_unheard(transient: Transient) -> Iterator[None]:
    """Take transient handlers off torch's structured trace for a while.

    torch builds every payload of the trace as soon as anybody listens, which costs a few percent of
    each compile; a test runner that captures all loggers gets nothing but empty messages from it.
    """
    logger = logging.getLogger(_TRACE)
    taken = [handler for handler in logger.handlers if transient(handler)]
    for handler in taken:
        logger.removeHandler(handler)
    try:
        yield
    finally:
        for handler in taken:
            logger.addHandler(handler)
        if taken:
            torch_adapter.tell_names_again()


@contextmanager
def trace_written(path: Path) -> Iterator[None]:
    """Write torch's structured trace of the block to a file; its folders are made.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = torch_adapter.trace_file(path)
    torch_adapter.tell_names_again()
    logger = logging.getLogger(_TRACE)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()


def _set_logger(logger: logging.Logger, state: tuple[Any, ...], transient: Transient) -> None:
    level, logger.propagate, logger.disabled, lasting = state
    logger.setLevel(level)
    logger.handlers[:] = [*lasting, *filter(transient, logger.handlers)]


def _config_modules() -> Iterator[tuple[str, Any]]:
    for name, module in sys.modules.copy().items():
        kind = type(module)
        if (
            kind is not ModuleType
            and name.startswith("torch.")
            and hasattr(kind, "get_config_copy")
        ):
            yield name, module


def _config_values(module: Any) -> dict[str, Any]:
    """Copies of the settings of a config module of torch, without those that somebody deleted."""
    known = {name for name, entry in module._config.items() if not entry.hide}
    try:
        values = module.get_config_copy()
    except AttributeError:  # 2.8 trips over a deleted setting
        known -= {name for name, entry in module._config.items() if entry.alias is not None}
        return {name: copy.deepcopy(getattr(module, name)) for name in known}
    return {name: value for name, value in values.items() if name in known}


def _torch_loggers() -> Iterator[tuple[str, logging.Logger]]:
    for name, logger in logging.Logger.manager.loggerDict.copy().items():
        if isinstance(logger, logging.Logger) and (name == "torch" or name.startswith("torch.")):
            yield name, logger


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - values are anybody's; what cannot be compared is not the same
        return False
