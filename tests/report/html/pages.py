"""A page taken apart by Python's own parser, and reports to make pages of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from report.compared import comparison
from report.html.hostile import HOSTILE
from report.values import (
    change,
    entry,
    fallback,
    fragile,
    frame,
    observation,
    opaque,
    recompile,
    record,
    run,
    site,
    violation,
)

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport

VOID = {"meta", "input", "br", "link", "img", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parent: Element | None
    inner: list[Element | str] = field(default_factory=list)

    @property
    def children(self) -> list[Element]:
        """The elements right within."""
        return [each for each in self.inner if isinstance(each, Element)]

    @property
    def own_text(self) -> str:
        """The text that stands in no element within."""
        return "".join(each for each in self.inner if isinstance(each, str))

    @property
    def text(self) -> str:
        """All text within, scripts and styles apart."""
        return "".join(
            each if isinstance(each, str) else each.text
            for each in self.inner
            if isinstance(each, str) or each.tag not in ("script", "style")
        )

    def all(self, *tags: str) -> Iterator[Element]:
        """The elements within of these tags, in order of their start."""
        for child in self.children:
            if child.tag in tags or not tags:
                yield child
            yield from child.all(*tags)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), attrs
        attributes = {name: value or "" for name, value in attrs}
        element = Element(tag, attributes, self.at)
        self.at.inner.append(element)
        if tag not in VOID:
            self.at = element

    def handle_endtag(self, tag: str) -> None:
        assert self.at.tag == tag, f"</{tag}> ends <{self.at.tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.inner.append(data)


def parsed(text: str) -> Element:
    """The root of a page in which each element is closed where it must be."""
    reader = _Reader()
    reader.feed(str(text))
    reader.close()
    assert reader.at is reader.root, f"<{reader.at.tag}> is not closed"
    return reader.root


def broken(**fields: object) -> ContractRecord:
    """A contract with something to say in every section."""
    seen = observation(
        break_sites=(site(), site(line=30, reason="Call to print"), site(line=40)),
        recompile_events=(recompile(), recompile(call=2, changes=(change(source="self.step"),))),
        fallbacks=(fallback(),),
        fragile_guards=(fragile(),),
        opaque_ops=(opaque(),),
        timeline=(
            entry(0, "compile", seconds=1.5),
            entry(1, "recompile", seconds=0.4),
            *(entry(call, seconds=0.001) for call in range(2, 8)),
        ),
    )
    return record(
        violation("max_graph_breaks", 0, 1),
        violation("max_recompiles", 0, 1),
        **{
            "id": "tests/test_mlp.py::test_broken",
            "observed": seen,
            "verdict": {"excused_sites": (1,), "known_sites": (2,)},
            "packages": {"transformers": "5.24.0"},
            **fields,
        },
    )


def small_report() -> RunReport:
    """One broken contract with policies, one that holds, one that was not run."""
    held = record(id="tests/test_mlp.py::test_held", observed=observation())
    missing = record(id="tests/test_mlp.py::test_missing", outcome="error")
    return run(broken(policies=comparison()), held, missing)


def hostile_report() -> RunReport:
    """Every text of a record is hostile, in a record for each of the texts."""
    return run(*(_hostile(index, text) for index, text in enumerate(HOSTILE)))


def _hostile(index: int, text: str) -> ContractRecord:
    seen = observation(
        break_sites=(
            site(
                file=text,
                code=text,
                function=text,
                reason=text,
                explanation=text,
                hints=(text,),
                docs=text,
                chain=(frame(file=text, function=text),),
            ),
        ),
        recompile_events=(
            recompile(
                function=text,
                guard=text,
                guards=(text,),
                changes=(change(source=text, expected=text, actual=text),),
            ),
        ),
        fallbacks=(fallback(function=text, file=text, reason=text),),
        fragile_guards=(fragile(source=text, value=text, why=text),),
        opaque_ops=(opaque(name=text, code=text),),
        timeline=(
            entry(0, "compile", sizes={text: (1, 2)}, region=text),
            entry(1, "recompile", error=text),
        ),
        problems=(text,),
    )
    run_of_policy = comparison().runs[0]
    renamed = comparison(backend=text, device=text, runs=(run_of_policy,))
    return record(
        violation("max_graph_breaks", 0, 1),
        violation("somebody's", 0, 1, said=text),
        id=f"{index}{text}",
        observed=seen,
        error=text,
        leaks=(text,),
        contract={"max_graph_breaks": 0, "trace_notes": [text], "note": text},
        packages={text: text},
        policies=renamed,
    )
