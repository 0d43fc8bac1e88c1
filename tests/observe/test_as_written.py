from __future__ import annotations

import ast
import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from pytest_compilecheck.observe.as_written import AsWritten


class AssertionRewritingHook:
    """Stands in for pytest's loader, which is told by its name."""


class OtherLoader:
    """Any other loader."""


Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Makes a module of a source, rewritten as pytest does it."""

    def make(
        source: str, *, name: str = "as_written_sample", loader: type = AssertionRewritingHook
    ) -> ModuleType:
        file = tmp_path / f"{name}.py"
        text = dedent(source).encode()
        file.write_bytes(text)
        tree = ast.parse(text)
        rewrite_asserts(tree, text, str(file))
        module = ModuleType(name)
        module.__file__ = str(file)
        module.__spec__ = SimpleNamespace(loader=loader())  # type: ignore[assignment]
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(tree, str(file), "exec", dont_inherit=True), vars(module))
        return module

    return make


@pytest.fixture
def swap() -> Iterator[AsWritten]:
    made = AsWritten()
    yield made
    made.end()


@contextmanager
def region(swap: AsWritten) -> Iterator[None]:
    leave = swap.enter()
    try:
        yield
    finally:
        leave()


def rewritten(function: Any) -> bool:
    return "@pytest_ar" in function.__code__.co_names


ONE = """
    def check(x):
        assert x == 1
        return x


    def plain(x):
        return x
    """


def test_inside_a_region_code_is_what_plain_python_makes_of_it(load: Load, swap: AsWritten) -> None:
    module = load(ONE)
    before, untouched = module.check.__code__, module.plain.__code__
    source = Path(module.__file__).read_text(encoding="utf-8")
    written = compile(source, module.__file__, "exec", dont_inherit=True).co_consts
    with region(swap):
        assert module.check.__code__ in written
        assert module.plain.__code__ is untouched
    assert module.check.__code__ is before
    assert rewritten(module.check)


def test_asserts_fail_inside_and_outside_in_their_own_words(load: Load, swap: AsWritten) -> None:
    module = load(ONE)
    with region(swap), pytest.raises(AssertionError) as inside:
        module.check(2)
    with pytest.raises(AssertionError) as outside:
        module.check(2)
    assert inside.traceback[-1].lineno == outside.traceback[-1].lineno
    assert str(inside.value) == ""
    assert "assert 2 == 1" in str(outside.value)


def test_regions_in_regions_swap_once(load: Load, swap: AsWritten) -> None:
    module = load(ONE)
    with region(swap):
        with region(swap):
            pass
        assert not rewritten(module.check)
    assert rewritten(module.check)


def test_end_gives_the_code_back_whatever_is_still_open(load: Load, swap: AsWritten) -> None:
    module = load(ONE)
    leaves = [swap.enter(), swap.enter()]
    swap.end()
    assert rewritten(module.check)
    for leave in leaves:  # what torch leaves late does no harm
        leave()
    with region(swap):
        assert not rewritten(module.check)
    assert rewritten(module.check)


def test_entries_of_all_threads_are_counted(load: Load, swap: AsWritten) -> None:
    module = load(ONE)
    entered, done = threading.Event(), threading.Event()

    def other() -> None:
        with region(swap):
            entered.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    with region(swap):
        pass
    assert not rewritten(module.check)
    done.set()
    thread.join()
    assert rewritten(module.check)


FOUND = """
    import functools

    def check(x):
        assert x == 1

    class Model:
        def forward(self, x):
            assert x == 1

        @staticmethod
        def static(x):
            assert x == 1

        @classmethod
        def of_class(cls, x):
            assert x == 1

        @property
        def size(self):
            assert self

        class Inner:
            def forward(self, x):
                assert x == 1

    def wrapper(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args)
        return inner

    @wrapper
    def wrapped(x):
        assert x == 1

    class Fixture:
        def __init__(self, function):
            self.__wrapped__ = function

    @Fixture
    def fixture(x):
        assert x == 1

    def hidden(function):
        return lambda *args: function(*args)

    @hidden
    def closed_over(x):
        assert x == 1
    """


@pytest.mark.parametrize(
    "find",
    [
        lambda m: m.check,
        lambda m: m.Model.forward,
        lambda m: m.Model.static,
        lambda m: m.Model.of_class.__func__,
        lambda m: m.Model.size.fget,
        lambda m: m.Model.Inner.forward,
        lambda m: m.wrapped.__wrapped__,
        lambda m: m.fixture.__wrapped__,
        lambda m: m.closed_over.__closure__[0].cell_contents,
    ],
    ids=[
        "function",
        "method",
        "static method",
        "class method",
        "property",
        "nested class",
        "wrapped",
        "fixture",
        "closure",
    ],
)
def test_functions_are_found_wherever_a_module_keeps_them(
    load: Load, swap: AsWritten, find: Callable[[Any], FunctionType]
) -> None:
    function = find(load(FOUND))
    assert rewritten(function)
    with region(swap):
        assert not rewritten(function)
    assert rewritten(function)


NESTED = """
    def make(bound):
        def check(x):
            assert x > bound
            return x
        return check
    """


def test_functions_made_inside_functions(load: Load, swap: AsWritten) -> None:
    module = load(NESTED)
    before = module.make(1)
    with region(swap):
        assert not rewritten(before)
        assert before(2) == 2
        with pytest.raises(AssertionError):
            before(1)
        assert not rewritten(module.make(1))
    assert rewritten(before)
    assert rewritten(module.make(1))


def test_a_function_made_between_two_calls(load: Load, swap: AsWritten) -> None:
    module = load(NESTED)
    first = module.make(1)
    with region(swap):
        pass
    second = module.make(1)
    with region(swap):
        assert not rewritten(first)
        assert not rewritten(second)
    assert rewritten(second)


def test_a_function_that_takes_the_place_of_another(load: Load, swap: AsWritten) -> None:
    module = load(NESTED)
    first = module.make(1)
    with region(swap):
        pass
    gone = weakref.ref(first)
    del first
    assert gone() is None  # nothing keeps what a closure holds
    second = module.make(1)
    with region(swap):
        assert not rewritten(second)
    assert rewritten(second)


def asked_of_the_collector(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of the codes whose functions the collector is asked for, from now on."""
    asked: list[str] = []  # no codes: a reference more to one of them is what makes it be asked
    search = gc.get_referrers

    def get_referrers(*codes: CodeType) -> list[Any]:
        asked.extend(code.co_filename for code in codes)
        return search(*codes)

    monkeypatch.setattr(gc, "get_referrers", get_referrers)
    return asked


def test_the_collector_is_asked_only_for_new_functions(
    load: Load, swap: AsWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(NESTED)
    made = [module.make(1), module.make(2)]
    asked = asked_of_the_collector(monkeypatch)
    for _ in range(3):
        swap.region_created()
        with region(swap):
            assert not any(map(rewritten, made))
            with region(swap):
                swap.region_created()
                swap.enter()()
    assert asked.count(str(module.__file__)) == 1
    made.append(module.make(3))
    with region(swap):
        assert not any(map(rewritten, made))
    assert asked.count(str(module.__file__)) == 2


TESTS = """
    def check(x):
        assert x == 1

    def test_one():
        assert check

    def test_two():
        def inner(x):
            assert x == 2
            return x
        assert inner(2)
        return inner

    def test_three():
        test_one()
    """


@pytest.fixture
def tests(load: Load, swap: AsWritten) -> ModuleType:
    module = load(TESTS)
    for name in ("test_one", "test_two", "test_three"):
        swap.tests.collected(getattr(module, name))
    return module


def swapped(module: ModuleType, swap: AsWritten) -> list[str]:
    """The functions that carry their code as written within a region."""
    functions = [each for each in vars(module).values() if type(each) is FunctionType]
    with region(swap):
        found = [each.__name__ for each in functions if "@pytest_ar" not in each.__code__.co_names]
    assert all(rewritten(each) for each in functions if each.__name__ != "test_three")
    return [name for name in found if name != "test_three"]  # which asserts nothing


def test_of_tests_only_the_one_that_runs_is_swapped(tests: ModuleType, swap: AsWritten) -> None:
    assert swapped(tests, swap) == ["check"]
    swap.test_begins(tests.test_one)
    assert swapped(tests, swap) == ["check", "test_one"]
    swap.test_begins(tests.test_two)
    assert swapped(tests, swap) == ["check", "test_two"]
    swap.test_begins(tests.test_one)
    assert swapped(tests, swap) == ["check", "test_one"]


def test_a_test_that_the_running_one_calls_is_swapped(tests: ModuleType, swap: AsWritten) -> None:
    swap.test_begins(tests.test_three)
    assert swapped(tests, swap) == ["check", "test_one"]


def test_what_a_test_has_made_is_swapped_while_another_runs(
    tests: ModuleType, swap: AsWritten
) -> None:
    swap.test_begins(tests.test_two)
    with region(swap):
        pass
    inner = tests.test_two()
    swap.test_begins(tests.test_one)
    with region(swap):
        assert not rewritten(inner)
    assert rewritten(inner)


def test_a_test_that_ends_within_a_region_gets_its_code_back(
    tests: ModuleType, swap: AsWritten
) -> None:
    swap.test_begins(tests.test_one)
    leave = swap.enter()
    swap.test_begins(tests.test_two)
    with region(swap):
        assert rewritten(tests.test_one)
        assert not rewritten(tests.test_two)
    leave()
    assert rewritten(tests.test_two)


def test_functions_of_this_package_are_left_alone(load: Load, swap: AsWritten) -> None:
    module = load(ONE, name="pytest_compilecheck.sample")
    with region(swap):
        assert rewritten(module.check)


def test_what_one_knew_is_no_function_to_the_next(
    load: Load, swap: AsWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(NESTED)
    made = [module.make(1)]
    with region(swap):
        assert not any(map(rewritten, made))
    swap.close()
    assert all(map(rewritten, made))
    del made
    asked = asked_of_the_collector(monkeypatch)
    another = AsWritten()
    with region(another):
        pass
    assert str(module.__file__) not in asked
    second = module.make(2)
    for each in (another, swap):  # a closed one may be used again
        each.region_created()
        with region(each):
            assert not rewritten(second)
        each.close()


def test_functions_that_running_code_has_at_hand_need_no_collector(
    load: Load, swap: AsWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(
        """
        def run(region):
            def plain(x):
                assert x
            def held(x):
                assert x
            wrapped, several = lambda x: held(x), [held]
            with region(plain, held):
                return plain, held
        """
    )

    def get_referrers(*codes: CodeType) -> list[Any]:
        assert str(module.__file__) not in [code.co_filename for code in codes]
        return []

    monkeypatch.setattr(gc, "get_referrers", get_referrers)
    codes: list[bool] = []

    @contextmanager
    def noting(*functions: FunctionType) -> Iterator[None]:
        with region(swap):
            codes.extend(map(rewritten, functions))
            yield

    made = module.run(noting)
    assert codes == [False, False]
    assert all(map(rewritten, made))


def test_functions_of_another_module_that_a_namespace_holds(load: Load, swap: AsWritten) -> None:
    module = load(NESTED, name="made_elsewhere")
    holder = load("def check(x):\n    assert x", name="holder_of_others")
    holder.other = module.make(1)
    with region(swap):
        assert not rewritten(holder.other)
    assert rewritten(holder.other)


def test_one_swap_serves_one_watch_after_the_other(load: Load, swap: AsWritten) -> None:
    heard: list[str] = []
    module = load(ONE)
    for _ in range(2):
        with swap.telling(lambda where, _: heard.append(where)):
            leave = swap.enter()
            assert not rewritten(module.check)
        assert rewritten(module.check)  # also what was not left
        leave()
    again = load(ONE)  # as importlib.reload runs a module anew, under names that were there
    vars(module)["check"] = again.check
    with swap.telling(lambda where, _: heard.append(where)), region(swap):
        assert not rewritten(module.check)
        assert not rewritten(again.plain)
    assert heard == []


def test_a_watch_within_another_leaves_its_region_as_it_is(load: Load, swap: AsWritten) -> None:
    module = load(ONE)
    outer: list[str] = []
    with swap.telling(lambda where, _: outer.append(where)), region(swap):
        with swap.telling(lambda where, _: None):
            pass
        assert not rewritten(module.check)
    assert rewritten(module.check)


def test_a_module_that_takes_the_name_of_another(load: Load, swap: AsWritten) -> None:
    kept = load(ONE)
    with region(swap):
        assert not rewritten(kept.check)
    module = load(ONE)
    swap.region_created()
    with region(swap):
        assert not rewritten(module.check)
        assert not rewritten(kept.check)
    assert rewritten(module.check)


def test_a_module_that_is_imported_later_is_found_for_the_next_region(
    load: Load, swap: AsWritten
) -> None:
    with region(swap):
        pass
    module = load(ONE)
    swap.region_created()
    with region(swap):
        assert not rewritten(module.check)


def test_modules_that_pytest_did_not_rewrite_are_left_alone(load: Load, swap: AsWritten) -> None:
    module = load(ONE, loader=OtherLoader)
    with region(swap):
        assert rewritten(module.check)


def test_a_source_that_is_gone_or_broken_leaves_the_code_as_it_is(
    load: Load, swap: AsWritten
) -> None:
    gone, broken = load(ONE, name="gone_sample"), load(ONE, name="broken_sample")
    Path(gone.__file__).unlink()
    Path(broken.__file__).write_text("def check(x:\n", encoding="utf-8")
    with region(swap):
        assert rewritten(gone.check)
        assert rewritten(broken.check)


def test_a_source_in_which_the_function_stands_elsewhere_is_not_trusted(
    load: Load, swap: AsWritten
) -> None:
    module = load(ONE)
    file = Path(module.__file__)
    file.write_text("\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    with region(swap):
        assert rewritten(module.check)


def test_code_that_somebody_else_sets_meanwhile_is_kept(load: Load, swap: AsWritten) -> None:
    module = load(ONE)
    theirs: CodeType = (lambda x: "theirs").__code__
    with region(swap):
        module.check.__code__ = theirs
    assert module.check(1) == "theirs"
    with region(swap):
        assert module.check(1) == "theirs"
    assert module.check(1) == "theirs"


def test_names_of_a_closure_keep_their_values(load: Load, swap: AsWritten) -> None:
    module = load(
        """
        def make(low, high):
            def check(x):
                assert low < x < high
                return (low, x, high)
            return check
        """
    )
    check = module.make(1, 3)
    with region(swap):
        assert check(2) == (1, 2, 3)
    assert check(2) == (1, 2, 3)


def test_future_imports_of_the_source_hold(load: Load, swap: AsWritten) -> None:
    module = load(
        """
        from __future__ import annotations

        def check(x):
            def inner(y: undefined_name) -> undefined_name:
                return y
            assert x == 1
            return inner(x)
        """
    )
    with region(swap):
        assert module.check(1) == 1
