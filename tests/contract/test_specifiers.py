"""Where version specifiers begin and end."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.specifiers import edges, matches_release

RELEASES = [".".join(map(str, each)) for each in product(range(1, 4), range(4), range(3))]
NAMED = st.sampled_from(["1", "1.0", "2", "2.1", "2.1.0", "2.1.2", "2.3", "3.0.1"])
ONE = st.one_of(
    st.builds("{}{}".format, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), NAMED),
    st.builds("{}{}.*".format, st.sampled_from(["==", "!="]), NAMED),
    st.builds("~={}".format, st.sampled_from(["1.0", "2.1", "2.1.1"])),
)
SPECIFIERS = st.lists(ONE, min_size=1, max_size=2).map(",".join)


def sides(specifiers: list[str], releases: list[str]) -> set[tuple[bool, ...]]:
    return {tuple(matches_release(each, one) for each in specifiers) for one in releases}


@given(st.lists(SPECIFIERS, min_size=1, max_size=3))
def test_no_release_differs_from_all_edges(specifiers: list[str]) -> None:
    assert sides(specifiers, RELEASES) <= sides(specifiers, edges(specifiers))


def test_what_names_no_version_has_no_edge() -> None:
    assert edges(["===nightly"]) == []
