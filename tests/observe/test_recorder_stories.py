"""Calls of several threads, and random ones: each is of the kind that a plain retelling gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from observe.driven import NESTED, RESUMED, ROOT, Driver, FakeTorch

from pytest_compilecheck.observe.events import Outcome
from pytest_compilecheck.observe.recording.recorder import Recorder


def test_threads_have_calls_of_their_own() -> None:
    driver = Driver()
    launch = driver.compiles()
    start = threading.Barrier(4)

    def work() -> None:
        start.wait()
        for _ in range(50):
            with driver.call():
                launch()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    calls = driver.recorder.calls()
    assert [call.index for call in calls] == list(range(200))
    assert {call.launched for call in calls} == {(0,)}
    assert driver.recorder.calls_made == 200


def test_overlapping_calls_of_two_threads_do_not_mix() -> None:
    driver = Driver()
    entered, done = threading.Event(), threading.Event()

    def other() -> None:
        with suppress(ValueError), driver.call():
            entered.set()
            done.wait(10)
            raise ValueError("other")

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    with driver.call():
        driver.compiles()()
    done.set()
    thread.join()
    first, second = driver.recorder.calls()
    assert (first.error, first.launched) == ("ValueError: other", ())
    assert (second.error, second.launched) == (None, (0,))
    assert [record.call for record in driver.recorder.conversions()] == [1]


# Random calls, against a plain retelling of what a call of each kind is.


@dataclass
class Story:
    """What happens in one call, and around it."""

    events: Sequence[str]
    raises: bool
    within_except: bool


class OfTheCall(Exception):
    """What a call raises."""


events = st.sampled_from(
    ["launch", "compile", "recompile", "limit", "skip", "nested", "handled error"]
)
stories = st.lists(
    st.builds(
        Story,
        events=st.lists(events, max_size=4),
        raises=st.booleans(),
        within_except=st.booleans(),
    ),
    max_size=6,
)


def kind_of(story: Story) -> str:
    if story.raises:
        return "error"
    for event, kind in (("recompile", "recompile"), ("compile", "compile"), ("limit", "fallback")):
        if event in story.events:
            return kind
    return "hit" if {"launch", "nested"} & set(story.events) else "fallback"


def launches_of(story: Story) -> int:
    counts = {"launch": 1, "compile": 1, "recompile": 1, "nested": 2}
    return sum(counts.get(event, 0) for event in story.events)


def tell(driver: Driver, story: Story, launch: Callable[[], Any]) -> None:
    inner = driver.recorder.region_entry(created_before=True)
    with driver.call():
        for event in story.events:
            if event == "launch":
                launch()
            elif event in ("compile", "recompile"):
                driver.compiles(rebuild=event == "recompile")()
            elif event == "limit":
                driver.recorder.guards_missed()
            elif event == "skip":
                with driver.conversion(NESTED, outcome=Outcome(skip="no_ops")):
                    pass
            elif event == "nested":
                with driver.call(inner):
                    launch()
                    launch()
            else:
                try:
                    raise KeyError
                except KeyError:
                    pass
        if story.raises:
            raise OfTheCall


def tell_in_its_place(driver: Driver, story: Story, launch: Callable[[], Any]) -> None:
    with suppress(OfTheCall):
        if not story.within_except:
            tell(driver, story, launch)
            return
        try:
            raise RuntimeError("of the caller")
        except RuntimeError:
            tell(driver, story, launch)


@given(stories)
def test_any_sequence_of_calls(told: list[Story]) -> None:
    driver = Driver()
    launch = driver.compiles(RESUMED)
    # The root of the region is known from its first call.
    with driver.call():
        driver.compiles(ROOT)()
    for story in told:
        tell_in_its_place(driver, story, launch)
    calls = driver.recorder.calls()[1:]
    assert driver.kinds()[1:] == [kind_of(story) for story in told]
    assert [len(call.launched) for call in calls] == [launches_of(story) for story in told]
    assert [call.unanswered for call in calls] == [s.events.count("limit") for s in told]
    assert [call.index for call in calls] == list(range(1, len(told) + 1))
    assert driver.recorder.calls_made == len(told) + 1
    assert driver.recorder.troubles == []


def test_an_exception_in_flight_that_is_raised_again_is_an_error() -> None:
    recorder = Recorder(FakeTorch())
    enter = recorder.region_entry(created_before=False)
    try:
        raise ValueError("first")
    except ValueError as first:
        leave = enter()
        recorder.launch_counter(lambda: None)()
        try:
            raise first
        except ValueError:
            leave()
        leave = enter()
        recorder.launch_counter(lambda: None)()
        leave()
    raised, quiet = recorder.calls()
    assert (raised.error, quiet.error) == ("ValueError: first", None)
