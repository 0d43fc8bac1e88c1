from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.known_regions import KnownRegions
from pytest_compilecheck.observe.watch import Watch


@pytest.fixture
def known() -> Iterator[KnownRegions]:
    made = KnownRegions()
    yield made
    made.close()


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each look through all objects."""
    seen: list[int] = []
    look = torch_adapter.live_regions

    def live_regions() -> Iterator[Any]:
        seen.append(1)
        return look()

    monkeypatch.setattr(torch_adapter, "live_regions", live_regions)
    return seen


def compiled() -> Any:
    return torch.compile(torch.nn.Linear(2, 2), backend="eager")


def ids(regions: Any) -> list[int]:
    return sorted(map(id, regions))


def test_regions_of_before_and_of_later(known: KnownRegions, scans: list[int]) -> None:
    before = compiled()
    assert before.dynamo_ctx in known.live()
    later = compiled()
    copied = copy.deepcopy(before)
    assert {before.dynamo_ctx, later.dynamo_ctx, copied.dynamo_ctx} <= set(known.live())
    assert ids(known.live()) == ids(torch_adapter.live_regions())
    assert len(scans) == 2  # one of them is this test's


def test_regions_that_are_gone_are_not_kept(known: KnownRegions) -> None:
    known.live()
    region = compiled()
    gone = weakref.ref(region.dynamo_ctx)
    del region
    gc.collect()
    assert gone() is None
    assert ids(known.live()) == ids(torch_adapter.live_regions())


def test_a_region_that_could_not_be_made_is_none(known: KnownRegions) -> None:
    known.live()
    kept = torch_adapter.REGION.__new__(torch_adapter.REGION)
    with pytest.raises(TypeError):
        torch_adapter.REGION.__init__(kept, no_such_argument=1)
    assert kept not in known.live()


def test_torch_is_as_it_was_afterwards() -> None:
    known, original = KnownRegions(), torch_adapter.REGION.__init__
    known.live()
    assert torch_adapter.REGION.__init__ is not original
    known.close()
    assert torch_adapter.REGION.__init__ is original
    known.close()


def test_watches_come_and_go_around_it(known: KnownRegions, scans: list[int]) -> None:
    values, regions = torch.ones(2, 2), [compiled()]
    for _ in range(3):
        with Watch(existing=known.live) as watch:
            regions.append(compiled())
            for region in regions:
                region(values)
        assert len(watch.observation.timeline) == len(regions)
    assert len(scans) == 1


def test_who_replaces_the_maker_of_regions_makes_it_look_again(
    known: KnownRegions, scans: list[int]
) -> None:
    original = torch_adapter.REGION.__init__
    known.live()
    torch_adapter.REGION.__init__ = original
    unseen = compiled()
    assert unseen.dynamo_ctx in known.live()
    assert len(scans) == 2
    known.close()
    assert torch_adapter.REGION.__init__ is original
