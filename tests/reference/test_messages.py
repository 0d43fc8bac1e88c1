"""What is found in the source, and that nothing that is raised is missed."""

from __future__ import annotations

import ast
import textwrap

import pytest

from docs_reference.messages import ways
from docs_reference.messages.find import Message, messages_of
from docs_reference.messages.raises import unaccounted
from docs_reference.messages.template import template
from docs_reference.messages_page import SOURCE, all_messages

FILES = sorted(SOURCE.rglob("*.py"))


def found(source: str) -> list[Message]:
    return messages_of(ast.parse(textwrap.dedent(source)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_every_error_that_is_raised_is_known(file) -> None:
    assert unaccounted(ast.parse(file.read_text("utf-8"))) == []


def test_an_error_that_is_not_known_is_told() -> None:
    source = "def f():\n    raise OddError('no')\n    raise\n    raise error\n    raise KeyError(1)"
    assert unaccounted(ast.parse(source)) == ["line 2: raise OddError('no')"]


def test_every_known_name_is_one_of_the_source() -> None:
    names = {*ways.WAYS, *ways.QUIET}
    called = {
        ways.callee(node)
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, (ast.Call, ast.Name, ast.Attribute))
    }
    assert names - called == set()


def test_foreign_texts_are_those_of_the_source() -> None:
    constants = {
        " ".join(node.value.split())
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert constants >= ways.FOREIGN


def test_a_known_message_is_on_the_page() -> None:
    told = {each.text: each.way for each in all_messages()["pytest_layer/settings.py"]}
    assert (
        told["--compilecheck-update needs --compilecheck-baseline=FILE"]
        == (ways.WAYS["UsageError"])
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("'plain'", "plain"),
        ("f'{name!r} is {shown(value)}'", "{name} is {value}"),
        ("f'{len(lines)} of {self._path.name}'", "{lines} of {name}"),
        ('f\'{plural(n, "contract")} in {", ".join(files)}\'', "{n contracts} in {files}"),
        ("f'{{literal}} {x if y else z}'", "{{literal}} {...}"),
        ("'a ' + _why(error)", "a {why}"),
        ("call()", None),
    ],
)
def test_templates(source: str, shown: str | None) -> None:
    assert template(ast.parse(source, mode="eval").body) == shown


def test_what_is_given_to_a_way_counts_with_few_words() -> None:
    assert found("report('too few')\nother('too few')") == [Message("too few", ways.WAYS["report"])]


def test_what_is_handed_on_counts_with_three_words() -> None:
    source = '''
    def why(x: "not a message at all") -> "nor is this one here":
        """No message in a docstring."""
        cure = "write it in some other way"
        return f"{x} is no such thing: {cure or 'which is told below that'}"
    '''
    assert [each.text for each in found(source)] == [
        "write it in some other way",
        "{x} is no such thing: {cure}",
        "which is told below that",
    ]


def test_descriptions_stand_on_pages_of_their_own() -> None:
    source = """
    ABOUT = "this is what the command does"
    add_argument("--x", help="how it does what it does")
    SCHEMA = {"description": "this is a value of it", "why": "and this is a message"}
    """
    assert [each.text for each in found(source)] == ["and this is a message"]


def test_a_text_that_goes_through_names_is_told_as_at_its_end() -> None:
    source = """
    CURE = "install the package first"
    OTHER = "this is for something else"

    def why(kind):
        return f"{kind} is of no use here"

    def check(field, report):
        text = why(field)
        report(f"{text}: {CURE}")
    """
    assert {each.text: each.way for each in found(source)} == {
        "install the package first": ways.WAYS["report"],
        "this is for something else": "",
        "{kind} is of no use here": ways.WAYS["report"],
    }
