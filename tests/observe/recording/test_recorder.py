"""The recorder is driven as the torch adapter drives it, with a torch that is made up."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from observe.driven import NESTED, RESUMED, ROOT, Driver, FakeGuards
from observe.records import reasons

from pytest_compilecheck.observe.events import (
    FrameFacts,
    GeneratedCode,
    GraphOrigin,
    Outcome,
    Reason,
)
from pytest_compilecheck.observe.values.recompile import Change

CODE = GeneratedCode("def call(): ...")


@pytest.fixture
def driver() -> Driver:
    return Driver()


def test_compile_then_hits(driver: Driver) -> None:
    with driver.call():
        launch = driver.compiles(ops=3)
        assert launch() == "result"
    for _ in range(2):
        with driver.call():
            launch()
            launch()
    calls = driver.recorder.calls()
    assert driver.kinds() == ["compile", "hit", "hit"]
    assert [call.launched for call in calls] == [(0,), (0, 0), (0, 0)]
    assert [call.index for call in calls] == [0, 1, 2]
    assert [graph.ops for graph in driver.recorder.graphs] == [3]
    assert {call.region.root for call in calls} == {ROOT}
    assert all(call.seconds > 0 for call in calls)


def test_a_graph_that_is_compiled_once_more_as_it_runs_makes_no_hit(driver: Driver) -> None:
    """With `mark_dynamic(specialize_on=...)`, for sizes that are special."""

    def compiles_again() -> None:
        variant = driver.recorder.compiling_variant()
        assert variant is not None
        assert driver.recorder.current() is variant
        variant.generated(CODE)
        variant.graph_compiled(3, ())
        variant.ended(Outcome())

    with driver.call(), driver.conversion() as sink:
        sink.graph_compiled(3, ())
        launch = driver.recorder.launch_counter(lambda work: work())
    for work in (compiles_again, lambda: None):
        with driver.call():
            launch(work)
    first, second = driver.recorder.graphs
    assert driver.kinds() == ["compile", "compile", "hit"]
    assert (second.rebuild, second.variant_of, second.generated) == (True, first.number, (CODE,))
    assert (first.rebuild, first.variant_of) == (False, None)
    again = driver.recorder.calls()[1]
    assert again.launched == (first.number,)
    assert again.seconds > again.compile_seconds > 0
    (record,) = again.conversions
    assert (record.code, record.changes, record.recompiled) == (ROOT, (), False)


def test_a_graph_of_unknown_origin_has_no_variant(driver: Driver) -> None:
    assert driver.recorder.compiling_variant() is None
    launch = driver.recorder.launch_counter(driver.recorder.compiling_variant)
    with driver.call():
        assert launch() is None


def test_a_backward_that_is_compiled_in_a_call_is_part_of_it(driver: Driver) -> None:
    with driver.call():
        launch = driver.compiles()
    with driver.call():
        launch()
        driver.recorder.backward_compiled(1.5)
    driver.recorder.backward_compiled(2.5)
    with driver.call():
        launch()
    assert driver.kinds() == ["compile", "compile", "hit"]
    assert [call.backwards for call in driver.recorder.calls()] == [0, 1, 0]
    assert [call.compile_seconds for call in driver.recorder.calls()[1:]] == [1.5, 0.0]
    assert driver.recorder.backwards == [0.0, 2.5]


def test_seconds_of_a_backward_within_a_conversion_count_once(driver: Driver) -> None:
    with driver.call(), driver.conversion():
        driver.recorder.backward_compiled(1.5)
    (call,) = driver.recorder.calls()
    assert call.compile_seconds < 1.5
    assert driver.recorder.backwards == [0.0]


def in_thread(work: Callable[[], None], *, by_python: bool) -> None:
    """Run the work in a thread, and wait; autograd's own are not of Python's making."""
    if by_python:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return
    over = threading.Event()

    def begin() -> None:
        work()
        over.set()

    _thread.start_new_thread(begin, ())
    assert over.wait(30)


@pytest.mark.parametrize(
    ("by_python", "callers", "backwards"), [(False, 1, 1), (True, 1, 0), (False, 0, 0)]
)
def test_a_backward_in_a_thread_of_autograd_is_of_the_call_that_waits(
    driver: Driver, by_python: bool, callers: int, backwards: int
) -> None:
    def compiles() -> None:
        driver.recorder.backward_compiled(1.5)

    with driver.call():
        if callers:
            in_thread(compiles, by_python=by_python)
    if not callers:
        in_thread(compiles, by_python=by_python)
    (call,) = driver.recorder.calls()
    assert call.backwards == backwards
    assert driver.recorder.backwards == [0.0 if backwards else 1.5]


def test_a_backward_in_a_thread_of_autograd_is_of_no_call_if_two_threads_are_in_one(
    driver: Driver,
) -> None:
    def calls_too() -> None:
        with driver.call():
            in_thread(lambda: driver.recorder.backward_compiled(1.5), by_python=False)

    with driver.call():
        in_thread(calls_too, by_python=True)
    assert [call.backwards for call in driver.recorder.calls()] == [0, 0]
    assert driver.recorder.backwards == [1.5]


def test_arguments_reach_the_graph_and_its_result_comes_back(driver: Driver) -> None:
    counted = driver.recorder.launch_counter(lambda *args, **options: (args, options))
    with driver.call():
        assert counted(1, 2, a=3) == ((1, 2), {"a": 3})


def test_an_answered_miss_is_a_recompile(driver: Driver) -> None:
    with driver.call():
        driver.compiles()()
    with driver.call():
        driver.compiles(rebuild=True)()
    call = driver.recorder.calls()[1]
    assert call.unanswered == 0
    assert driver.kinds() == ["compile", "recompile"]
    assert [graph.rebuild for graph in driver.recorder.graphs] == [False, True]


def test_a_recompile_is_explained_while_its_frame_is_at_hand(driver: Driver) -> None:
    with driver.call(), driver.conversion(entries=True) as sink:
        sink.recompiling(reasons("n == 2", "n == 1"))
    (record,) = driver.recorder.conversions()
    assert record.reasons == (Reason("0/1", "n == 2"), Reason("0/0", "n == 1"))
    assert [told.source for told in record.changes] == ["n == 2", "n == 1"]


def test_changes_that_cannot_be_told_are_a_trouble(driver: Driver) -> None:
    class Refusing(FakeGuards):
        def changes(self) -> tuple[Change, ...]:
            raise AttributeError("private")

    with driver.call():
        with driver.conversion(guards=Refusing()):
            pass
        driver.compiles(RESUMED)()
    assert [record.code for record in driver.recorder.conversions()] == [ROOT, RESUMED]
    assert driver.kinds() == ["compile"]
    assert len(driver.recorder.troubles) == 1


def test_an_unanswered_miss_is_a_fallback_though_a_graph_ran(driver: Driver) -> None:
    launch = driver.compiles()
    with driver.call():
        launch()
        driver.recorder.guards_missed()
    with driver.call():
        launch()
    assert [call.unanswered for call in driver.recorder.calls()] == [1, 0]
    assert driver.kinds()[-2:] == ["fallback", "hit"]


def test_a_first_compile_answers_no_miss(driver: Driver) -> None:
    with driver.call():
        driver.recorder.guards_missed()
        driver.compiles(RESUMED)()
    assert driver.recorder.calls()[0].unanswered == 1


def test_a_call_without_any_graph_is_a_fallback(driver: Driver) -> None:
    with driver.call():
        pass
    assert driver.kinds() == ["fallback"]


def test_the_stance_is_that_at_entry(driver: Driver) -> None:
    launch = driver.compiles()
    driver.torch.in_force = "force_eager"
    with driver.call():
        driver.torch.in_force = "default"
    with driver.call():
        launch()
    driver.torch.in_force = "eager_on_recompile"
    with driver.call():
        launch()
    stances = [call.stance for call in driver.recorder.calls()]
    assert stances == ["force_eager", "default", "eager_on_recompile"]


def test_nested_entries_are_part_of_the_call(driver: Driver) -> None:
    inner = driver.recorder.region_entry(created_before=False)
    with driver.call():
        driver.compiles()()
        with driver.call(inner), driver.call(inner):
            driver.compiles(NESTED)()
        driver.compiles(RESUMED)()
    (call,) = driver.recorder.calls()
    assert call.launched == (0, 1, 2)
    assert [record.code for record in call.conversions] == [ROOT, NESTED, RESUMED]
    assert call.region.root is ROOT
    with driver.call(inner):
        pass
    assert [call.region.number for call in driver.recorder.calls()] == [0, 1]


def test_the_root_is_the_first_frame_that_torch_could_trace(driver: Driver) -> None:
    with driver.call():
        with driver.conversion(NESTED, outcome=Outcome(skip="skip_file")):
            pass
        with driver.conversion(ROOT, outcome=Outcome(skip="no_ops")):
            pass
    with driver.call():
        driver.compiles(RESUMED)()
    first, second = driver.recorder.calls()
    assert [record.code for record in first.conversions] == [ROOT]
    assert second.region.root is ROOT
    assert [record.is_root for record in driver.recorder.conversions()] == [True, False]


def test_what_is_met_while_other_code_runs_is_no_root(driver: Driver) -> None:
    skipped = Outcome(skip="other")
    with driver.call(), driver.conversion(NESTED, outcome=skipped, is_first=lambda: False):
        pass  # the region's own function runs from the cache
    with driver.call(), driver.conversion(ROOT):
        pass
    assert [record.is_root for record in driver.recorder.conversions()] == [False, True]


def test_an_entry_that_torch_never_left_ends_with_the_next_call(driver: Driver) -> None:
    launch = driver.compiles()
    driver.abandoned_call()
    with driver.call():
        launch()
    assert driver.kinds() == ["error", "hit"]
    assert driver.recorder.calls()[0].error == "RuntimeError: torch ended the call with an error"


@pytest.mark.parametrize("error", [None, ValueError("told")])
def test_the_last_entry_that_torch_never_left_raised(driver: Driver, error: Exception) -> None:
    driver.abandoned_call()
    driver.recorder.settle(error)
    told = "ValueError: told" if error else "RuntimeError: torch ended the call with an error"
    assert [call.error for call in driver.recorder.calls()] == [told]


def test_an_entry_under_way_when_the_watch_ends_raised_nothing(driver: Driver) -> None:
    with driver.call():
        driver.recorder.settle(None)
        (call,) = driver.recorder.calls()
    assert call.error is None


def test_an_inner_entry_that_torch_never_left_is_no_call(driver: Driver) -> None:
    launch = driver.compiles()
    with driver.call():
        driver.abandoned_call()
        with driver.call():
            launch()
        launch()
    with driver.call():
        launch()
    assert [call.launched for call in driver.recorder.calls()] == [(0, 0), (0,)]


def test_settle_ends_an_open_call_with_its_error(driver: Driver) -> None:
    driver.abandoned_call()
    driver.recorder.settle(ValueError("no"))
    driver.recorder.settle(ValueError("nothing is open"))
    assert [call.error for call in driver.recorder.calls()] == ["ValueError: no"]


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ValueError("bad\nvery bad"), "ValueError: bad"),
        (KeyError(), "KeyError"),
        (RuntimeError("\n  in the second line"), "RuntimeError: in the second line"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ],
)
def test_what_a_call_raised_is_told_in_one_line(
    driver: Driver, raised: BaseException, told: str
) -> None:
    launch = driver.compiles()
    with suppress(type(raised)), driver.call():
        launch()
        raise raised
    assert [call.error for call in driver.recorder.calls()] == [told]
    assert driver.kinds() == ["error"]


def test_a_call_inside_an_except_block_raised_nothing(driver: Driver) -> None:
    launch = driver.compiles()
    try:
        raise ValueError("of the caller")
    except ValueError:
        with driver.call():
            launch()
        with suppress(KeyError), driver.call():
            raise KeyError from None
    with driver.call():
        launch()
    assert driver.kinds() == ["hit", "error", "hit"]


def test_an_error_handled_in_the_call_is_none_of_it(driver: Driver) -> None:
    launch = driver.compiles()
    with driver.call():
        try:
            raise ValueError
        except ValueError:
            launch()
    assert driver.kinds() == ["hit"]


def test_conversions_outside_a_call_belong_to_none(driver: Driver) -> None:
    driver.recorder.guards_missed()
    launch = driver.compiles(RESUMED, rebuild=True)
    with driver.call():
        launch()
    (call,) = driver.recorder.calls()
    assert (call.unanswered, call.conversions, call.compile_seconds) == (0, (), 0.0)
    assert driver.kinds() == ["hit"]
    (record,) = driver.recorder.conversions()
    assert (record.call, record.region, record.is_root) == (None, None, False)
    assert record.recompiled


def test_graphs_of_before_the_watch_are_counted_under_numbers_of_their_own(driver: Driver) -> None:
    old = driver.recorder.launch_counter(lambda: None)
    with driver.call():
        old()
        driver.compiles(RESUMED)()
        driver.recorder.launch_counter(lambda: None)()
    (call,) = driver.recorder.calls()
    assert call.launched == (0, 1, 2)
    assert [graph.number for graph in driver.recorder.graphs] == [1]


def test_the_counted_graph_leads_to_the_original(driver: Driver) -> None:
    def graph() -> None: ...

    assert driver.recorder.launch_counter(graph).__wrapped_graph__ is graph


def test_events_go_to_the_innermost_conversion(driver: Driver) -> None:
    assert driver.recorder.current() is None
    with driver.call(), driver.conversion(ROOT) as outer:
        assert driver.recorder.current() is outer
        with driver.conversion(NESTED) as inner:
            assert driver.recorder.current() is inner
        assert driver.recorder.current() is outer
    assert driver.recorder.current() is None
    (call,) = driver.recorder.calls()
    assert call.compile_seconds <= call.seconds


def test_a_conversion_that_never_ended_does_not_take_later_events(driver: Driver) -> None:
    with driver.call(), driver.conversion(ROOT) as outer:
        driver.recorder.conversion(FrameFacts(NESTED, False, bool, dict, bool, FakeGuards()))
        outer.ended(Outcome(raised=True))
        assert driver.recorder.current() is None


def test_sizes_are_those_of_the_root_frame(driver: Driver) -> None:
    with driver.call():
        for frame, size in ((ROOT, 4), (RESUMED, 5)):
            with driver.conversion(frame, sizes=lambda size=size: {"x": (size,)}):
                pass
    assert driver.recorder.calls()[0].sizes == {"x": (4,)}


def test_a_frame_that_refuses_to_be_looked_at_is_no_reason_to_fail(driver: Driver) -> None:
    def refuse() -> Any:
        raise AttributeError("private")

    with driver.call(), driver.conversion(ROOT, sizes=refuse):
        pass
    skip = Outcome(skip="no_tensors")
    with driver.call(), driver.conversion(NESTED, outcome=skip, reaches_tensor=refuse):
        pass
    assert driver.kinds() == ["fallback", "fallback"]
    assert driver.recorder.troubles == [
        "the arguments of a skipped frame could not be read (AttributeError: private)"
    ]


@pytest.mark.parametrize("skip", ["no_tensors", "error", "no_ops", "dispatch_mode", "other"])
def test_it_is_noted_whether_a_skipped_frame_reaches_a_tensor(driver: Driver, skip: Any) -> None:
    with driver.call():
        outcome = Outcome(skip=skip)
        with driver.conversion(NESTED, outcome=outcome, reaches_tensor=lambda: True):
            pass
    assert [record.reaches_tensor for record in driver.recorder.conversions()] == [True]


def test_trouble_is_told_once(driver: Driver) -> None:
    for _ in range(3):
        driver.recorder.trouble("guards were not seen")
        driver.recorder.trouble("guards were not seen", ValueError("no"))
    assert driver.recorder.troubles == [
        "guards were not seen",
        "guards were not seen (ValueError: no)",
    ]


def test_a_call_with_compilation_switched_off(driver: Driver) -> None:
    launch = driver.compiles()
    with driver.call():
        launch()
    driver.recorder.skipped_call(0.25, None)
    driver.recorder.skipped_call(0.5, ValueError("no"))
    with driver.call():
        launch()
    calls = driver.recorder.calls()
    assert [call.index for call in calls] == [0, 1, 2, 3]
    assert [call.stance for call in calls] == ["default", "disabled", "disabled", "default"]
    assert [call.seconds for call in calls[1:3]] == [0.25, 0.5]
    assert driver.kinds() == ["hit", "fallback", "error", "hit"]


# What is ignored, in all threads.


def in_another_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def launching_call(driver: Driver, launch: Callable[[], Any]) -> Callable[[], None]:
    def call() -> None:
        with driver.call():
            launch()

    return call


def test_what_is_ignored_takes_no_number(driver: Driver) -> None:
    work = launching_call(driver, driver.compiles())
    work()
    with driver.recorder.ignored():
        work()
        in_another_thread(work)
        assert driver.recorder.calls_made == 1
    in_another_thread(work)
    work()
    assert [call.index for call in driver.recorder.calls()] == [0, 1, 2]
    assert driver.recorder.calls_made == 3


def test_a_call_that_began_before_is_not_ignored_and_one_that_began_then_is(
    driver: Driver,
) -> None:
    launch = driver.compiles()
    began, ignoring, ended = (threading.Event() for _ in range(3))

    def outlasting() -> None:
        with driver.call():
            launch()
            began.set()
            ignoring.wait(10)
            driver.recorder.guards_missed()
        with driver.call(), driver.conversion(NESTED):
            launch()
            launch()
            driver.recorder.guards_missed()
            began.set()
            ended.wait(10)
        launching_call(driver, launch)()

    thread = threading.Thread(target=outlasting)
    thread.start()
    began.wait(10)
    began.clear()
    with driver.recorder.ignored():
        ignoring.set()
        began.wait(10)
    ended.set()
    thread.join()
    calls = driver.recorder.calls()
    assert [(call.index, call.launched, call.unanswered) for call in calls] == [
        (0, (0,), 1),
        (1, (0,), 0),
    ]
    assert driver.recorder.records().conversions == driver.recorder.conversions()
    assert [record.code for record in driver.recorder.conversions()] == [ROOT]


def test_an_entry_that_torch_never_left_is_ignored_too(driver: Driver) -> None:
    launch = driver.compiles()

    def work() -> None:
        driver.abandoned_call()
        ignored.set()
        over.wait(10)
        launching_call(driver, launch)()

    ignored, over = threading.Event(), threading.Event()
    thread = threading.Thread(target=work)
    with driver.recorder.ignored():
        thread.start()
        ignored.wait(10)
    over.set()
    thread.join()
    assert [(call.index, call.error) for call in driver.recorder.calls()] == [(0, None)]


def test_calls_under_way_count_as_made(driver: Driver) -> None:
    with driver.call():
        assert driver.recorder.calls_made == 1
    driver.recorder.skipped_call(0.5, None)
    assert driver.recorder.calls_made == 2


def test_a_cut_tells_the_new_numbers_of_calls(driver: Driver) -> None:
    work = launching_call(driver, driver.compiles())
    work()
    driver.recorder.cut()
    before = driver.recorder.calls_made
    work()
    work()
    records = driver.recorder.cut()
    renumbered = records.count_from_zero()
    assert [call.index for call in records.calls] == [0, 1]
    assert [renumbered(before + number) for number in range(3)] == [0, 1, 2]


def test_code_of_before_that_runs_no_graph_is_kept(driver: Driver) -> None:
    origin = GraphOrigin(ROOT, (RESUMED,))
    driver.recorder.runs_no_graph(origin)
    with driver.call(), driver.conversion(NESTED, outcome=Outcome(compiled=True)):
        pass
    graphless = driver.recorder.records().compiled.graphless
    assert graphless == [origin, GraphOrigin(NESTED)]
