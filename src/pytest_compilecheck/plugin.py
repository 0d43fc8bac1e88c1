"""The pytest plugin: hooks that decide and delegate; imports only pytest until it is needed."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck.pytest_layer import hookspecs as _hookspecs
from pytest_compilecheck.pytest_layer import options as _options
from pytest_compilecheck.pytest_layer import settings as _settings
from pytest_compilecheck.pytest_layer.hidden import (
    hidden_from_test,
    is_class,
    is_noted,
    without_test,
)

MARKER = (
    "compile_contract(**fields): hold how the test compiles under torch.compile, with "
    "--compilecheck; without it the test runs eagerly over its trace"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and their ini twins."""
    _options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """The hooks of our own that other plugins may implement."""
    pluginmanager.add_hookspecs(_hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; with --compilecheck also what collects the records."""
    config.addinivalue_line("markers", MARKER)
    config.stash[_settings.KEY] = settings = _settings.read(config)
    if settings.modules:
        from pytest_compilecheck.pytest_layer.collecting.modules import LibraryFiles

        config.pluginmanager.register(LibraryFiles.of(config), "compilecheck-library")
    if settings.active or settings.audit:
        from pytest_compilecheck.pytest_layer.installed import check_torch

        check_torch()
    if settings.active:
        from pytest_compilecheck.pytest_layer.collecting.looked_for import look_for_files
        from pytest_compilecheck.pytest_layer.running.items import ContractItems
        from pytest_compilecheck.pytest_layer.running.wider_fixtures import WiderFixtures

        look_for_files(config)
        wider = WiderFixtures()
        config.pluginmanager.register(wider, "compilecheck-fixtures")
        config.pluginmanager.register(ContractItems(settings, wider), "compilecheck-items")
        if settings.baseline is not None:
            from pytest_compilecheck.pytest_layer.ending import ratchet

            config.stash[ratchet.KEY] = ratchet.Ratchet(config, settings, settings.baseline)
        if not _only_controls(config):
            from pytest_compilecheck.pytest_layer.running.inductor_cache import InductorCache

            config.pluginmanager.register(InductorCache(config, settings), "compilecheck-cache")
    if (settings.active or settings.audit) and not _only_controls(config):
        from pytest_compilecheck.pytest_layer.collecting.collected import CollectionNotes
        from pytest_compilecheck.pytest_layer.running import surroundings

        config.pluginmanager.register(surroundings.RunningTests(), surroundings.RUNNING_TESTS)
        if settings.audit:
            from pytest_compilecheck.pytest_layer.running.audit import Audit

            config.pluginmanager.register(Audit(config, settings), "compilecheck-audit")
        config.pluginmanager.register(CollectionNotes(config, settings), "compilecheck-notes")
    if (settings.active or settings.audit) and not hasattr(config, "workerinput"):
        from pytest_compilecheck.pytest_layer.ending.session import RecordSink

        config.pluginmanager.register(RecordSink(config, settings), "compilecheck-records")


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Read the contract of a test function; last, when other plugins have said what they make."""
    calls = getattr(metafunc, "_calls", ())  # a contract may stand on a single parameter
    on_parameter = any(mark.name == "compile_contract" for call in calls for mark in call.marks)
    if on_parameter or _is_marked(metafunc.definition, metafunc.function):
        from pytest_compilecheck.pytest_layer.collecting.collection import prepare
        from pytest_compilecheck.pytest_layer.running.seeding import seed_contracts

        seed_contracts(metafunc.config)
        prepare(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> Generator[None, Any, Any]:
    """Read the contracts of unittest methods, which get no `pytest_generate_tests`.

    And refuse those that nobody would hold: a decorator hides them, or they are on no test.
    """
    made = yield
    hidden = hidden_from_test(obj, name if made else None)
    if hidden is not None:
        from pytest_compilecheck.pytest_layer.collecting.unheld import refuse_hidden

        refuse_hidden(name, hidden)
    module = getattr(collector.module, "__name__", "")
    if not made and any(without_test(name, obj, module)):
        from pytest_compilecheck.pytest_layer.collecting.unheld import refuse_without_test

        refuse_without_test(collector, name, obj)
    unittest = sys.modules.get("unittest")
    if made and unittest and is_class(obj) and issubclass(obj, unittest.TestCase):
        from pytest_compilecheck.pytest_layer.collecting.collection import check_test_case

        check_test_case(made)
    return made


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect contract files."""
    if file_path.suffix not in (".yaml", ".yml"):
        return None
    from pytest_compilecheck.pytest_layer.collecting.contract_file import (
        ContractFileCollector,
        collects,
    )
    from pytest_compilecheck.pytest_layer.running.seeding import seed_contracts

    if not collects(file_path, parent.config):
        return None
    seed_contracts(parent.config)
    return ContractFileCollector.from_parent(parent, path=file_path)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    """Run a contract's trace in place of one plain call."""
    if not _is_marked(pyfuncitem, pyfuncitem.obj):
        return None
    from pytest_compilecheck.pytest_layer.running.execution import run_item

    run_item(pyfuncitem)
    return True


@pytest.fixture
def compilecheck(request: pytest.FixtureRequest) -> Iterator[object]:
    """Contracts on parts of a test: `with compilecheck.watch(max_graph_breaks=0): ...`."""
    from pytest_compilecheck.pytest_layer.running.fixture import CompileCheck

    made = CompileCheck(request.node)
    yield made
    made.close()


def _only_controls(config: pytest.Config) -> bool:
    """Whether the tests run in the workers of xdist, and none in this process."""
    return bool(config.getoption("tx", None)) and config.getoption("dist", "no") != "no"


def _is_marked(node: pytest.Item, function: object) -> bool:
    return is_noted(function) or node.get_closest_marker("compile_contract") is not None
