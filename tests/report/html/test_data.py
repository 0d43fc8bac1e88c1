from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from report.html.hostile import HOSTILE

from pytest_compilecheck.report.html.data import content_policy, json_data, script_text


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_the_same_data_and_ends_no_element(text: str) -> None:
    told = json_data({text: [text]})
    assert json.loads(told) == {text: [text]}

    assert not set(told) & set("<>&")


@given(st.text())
def test_any_text_is_plain_ascii(text: str) -> None:
    told = json_data(text)
    assert json.loads(told) == text
    assert told.isascii()
    assert told.isprintable()
    assert not set(told) & set("<>&")


def test_what_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_data(float("nan"))


def test_a_script_cannot_end_itself() -> None:
    source = "a = '</script>' + '</SCRIPT >' + '<!--' + '<script' ; b < c"
    assert script_text(source) == (
        r"a = '\x3c/script>' + '\x3c/SCRIPT >' + '\x3c!--' + '\x3cscript' ; b < c"
    )


def test_the_policy_names_what_may_run() -> None:
    policy = content_policy([Markup("alert(1)"), Markup("")], Markup("p{}"))
    # openssl dgst -sha256 -binary | base64
    assert "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='" in policy
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "script-src 'unsafe" not in policy
