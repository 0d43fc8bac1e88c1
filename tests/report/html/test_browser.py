"""The page in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from report.compared import comparison
from report.html.browser import Browser, started
from report.html.hostile import HOSTILE
from report.html.pages import broken, hostile_report, small_report
from report.many import many_contracts
from report.values import observation, record, run

from pytest_compilecheck.report.html import page
from pytest_compilecheck.report.wording import printable

ROWS = "#contracts tbody tr"
NAMES = "#contracts tbody td:nth-child(2)"


@pytest.fixture(scope="module")
def one_browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture
def browser(one_browser: Browser) -> Iterator[Browser]:
    """A window as it is by default; whatever the page complains of fails the test."""
    one_browser.driver.get("about:blank")
    one_browser.media(prefers_color_scheme="light")
    one_browser.width(1200)
    one_browser.complaints()
    yield one_browser
    assert one_browser.complaints() == []


def open_all(browser: Browser) -> None:
    """Open all details and wait for their charts."""
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    browser.until("!document.querySelector('figure:not(.drawn)')")
    browser.until("[...document.querySelectorAll('.chart')].every(e => e.querySelector('svg'))")


def assert_fits(browser: Browser) -> None:
    width, most = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert width <= most


def test_all_of_it_is_there_and_nothing_is_loaded(browser: Browser, tmp_path: Path) -> None:
    browser.show(small_report(), tmp_path)
    assert browser.texts("h1") == ["1 failed, 1 error of 3 compile contracts"]
    assert len(browser.texts(ROWS)) == 3
    assert browser.texts("#shown") == ["3 of 3 contracts shown"]
    open_all(browser)
    assert len(browser.texts(".contract")) == 3
    assert browser.run("return performance.getEntriesByType('resource').length") == 0


def test_charts_are_drawn_when_their_contract_is_opened(browser: Browser, tmp_path: Path) -> None:
    browser.show(small_report(), tmp_path)
    assert browser.run("return document.querySelectorAll('.chart svg').length") == 0
    browser.run("document.querySelector('#c1 > summary').click()")
    browser.until("document.querySelectorAll('#c1 .chart svg').length === 6")
    # Those of each policy by itself stand in details of their own, which are closed.
    assert browser.run("return document.querySelectorAll('figure.drawn').length") == 6
    labels = browser.texts(".chart svg text")
    assert "first compile" in labels
    assert "x.size(1): 128 -> 129" in labels
    assert "static from 2,637 on" in labels


def test_filter_by_words_and_outcome(browser: Browser, tmp_path: Path) -> None:
    browser.show(small_report(), tmp_path)
    words = browser.driver.find_element("id", "words")
    words.send_keys("MLP held")
    assert browser.texts(NAMES) == ["tests/test_mlp.py::test_held"]
    assert browser.texts("#shown") == ["1 of 3 contracts shown"]
    assert browser.texts(".contract h3 code") == ["tests/test_mlp.py::test_held"]
    words.clear()
    words.send_keys("data-dependent")  # what the headline says
    assert browser.texts(NAMES) == ["tests/test_mlp.py::test_broken"]
    words.clear()
    browser.driver.find_element("css selector", "#outcome option[value=error]").click()
    assert browser.texts(NAMES) == ["tests/test_mlp.py::test_missing"]
    words.send_keys("held\n")
    assert browser.texts(NAMES) == []
    assert browser.texts("#shown") == ["0 of 3 contracts shown"]


def test_sort_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    contracts = [
        record(
            id=f"test_it[{number}]",
            observed=None if number == 11 else observation(graphs=number),
            outcome="passed",
        )
        for number in (10, 9, 11, 2)
    ]
    browser.show(run(*contracts), tmp_path)
    enter = "\ue007"

    def press(heading: str) -> list[str]:
        button = browser.driver.find_element("xpath", f"//th/button[text()='{heading}']")
        browser.run("arguments[0].focus()", button)
        assert browser.run("return document.activeElement === arguments[0]", button)
        browser.driver.switch_to.active_element.send_keys(enter)
        details = browser.texts(".contract h3 code")
        assert details == browser.texts(NAMES)
        return [name[8:-1] for name in details]

    assert press("graphs") == ["2", "9", "10", "11"]  # of the last it is not known
    assert press("graphs") == ["10", "9", "2", "11"]
    assert press("contract") == ["2", "9", "10", "11"]
    sorts = browser.run(
        "return [...document.querySelectorAll('th[aria-sort]')]"
        ".map(each => [each.textContent, each.getAttribute('aria-sort')])"
    )
    assert sorts == [["contract", "ascending"]]


def test_a_link_opens_its_contract(browser: Browser, tmp_path: Path) -> None:
    browser.show(small_report(), tmp_path)
    link = "document.querySelector('a[href=\"#c1\"]')"
    for _ in range(2):  # also when the address names it already
        browser.run(f"{link}.click()")
        browser.until("document.querySelector('#c1').open")
        browser.until("document.activeElement.closest('#c1') !== null")
        browser.run("document.querySelector('#c1').open = false")
    browser.reload()
    browser.until("document.querySelector('#c1').open")


def test_hostile_names_do_no_harm(browser: Browser, tmp_path: Path) -> None:
    browser.show(hostile_report(), tmp_path)
    open_all(browser)
    assert browser.run("return window.harmed === undefined")
    names = browser.texts(NAMES)
    assert sorted(names) == sorted(f"{at}{printable(text)}" for at, text in enumerate(HOSTILE))
    shown = browser.run("return document.body.innerText")
    assert "x" * 3000 in shown
    assert browser.run("return document.querySelectorAll('img, iframe, script[src]').length") == 0
    browser.driver.find_element("id", "words").send_keys("</script>")
    assert [name[0] for name in browser.texts(NAMES)] == ["0"]
    assert_fits(browser)


def test_five_hundred_contracts_open_within_two_seconds(browser: Browser, tmp_path: Path) -> None:
    """From the start of navigation to the load event, and then the first filter.

    The best of three: what else the machine does is not the page's.
    """
    report = run(broken(policies=comparison()), *many_contracts(499).contracts)
    browser.show(report, tmp_path)
    seconds = [_opening(browser)]
    for _ in range(2):
        browser.reload()
        seconds.append(_opening(browser))
    assert 0 < min(seconds) < 2.0


def _opening(browser: Browser) -> float:
    loading = browser.run(
        "return performance.getEntriesByType('navigation')[0].loadEventEnd / 1000"
    )
    filtering = browser.run(
        "const start = performance.now(); const words = document.getElementById('words');"
        "words.value = '[42-'; words.dispatchEvent(new Event('input'));"
        "document.body.offsetHeight; return (performance.now() - start) / 1000"
    )
    assert browser.texts("#shown") == ["1 of 500 contracts shown"]
    return float(loading + filtering)


def test_a_phone_scrolls_in_tables_alone(browser: Browser, tmp_path: Path) -> None:
    browser.width(375)
    browser.show(small_report(), tmp_path)
    open_all(browser)
    assert_fits(browser)
    wide = (
        "return [...document.querySelectorAll('.scroll')].some(e => e.scrollWidth > e.clientWidth)"
    )
    assert browser.run(wide)


def test_light_and_dark_with_their_charts(browser: Browser, tmp_path: Path) -> None:
    browser.show(small_report(), tmp_path)
    browser.run("document.querySelector('#c1').open = true")
    browser.until("document.querySelectorAll('#c1 .chart svg').length === 6")
    colours = (
        "const of = (it, what) => getComputedStyle(it)[what];"
        "return [of(document.body, 'backgroundColor'), of(document.body, 'color'),"
        " of(document.querySelector('.chart svg text'), 'fill')]"
    )
    light = browser.run(colours)
    browser.media(prefers_color_scheme="dark")
    dark = browser.run(colours)
    assert light == ["rgb(255, 255, 255)", "rgb(28, 32, 36)", "rgb(28, 32, 36)"]
    assert dark == ["rgb(20, 23, 28)", "rgb(230, 232, 235)", "rgb(230, 232, 235)"]


def test_printed_it_is_open_and_has_no_controls(browser: Browser, tmp_path: Path) -> None:
    browser.media(prefers_color_scheme="dark")
    browser.show(small_report(), tmp_path)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.media("print", prefers_color_scheme="dark")
    assert browser.run("return document.querySelectorAll('details:not([open])').length") == 0
    assert browser.texts("form, .skip, #words") == []
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    # A chart that was not drawn leaves no hole: its table is there.
    assert browser.texts("figure") == []
    assert "first compile" in browser.run("return document.body.innerText")
    browser.media(prefers_color_scheme="light")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("return document.querySelectorAll('details[open]').length") == 0
    browser.until("!document.querySelector('figure.drawn')")
    assert browser.command("Page.printToPDF")["data"]


def test_without_javascript_the_text_is_there(browser: Browser, tmp_path: Path) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.show(small_report(), tmp_path)
        assert browser.texts("noscript")
        assert len(browser.texts(ROWS)) == 3
        assert browser.texts("form") == []
        browser.driver.find_element("css selector", "#c1 > summary").click()
        assert "Data-dependent branching (GB0170)" in browser.texts("#c1 .bad")
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


def test_without_charts_all_else_works(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "can_draw", lambda: False)
    browser.show(small_report(), tmp_path)
    browser.driver.find_element("id", "words").send_keys("held")
    assert browser.texts("#shown") == ["1 of 3 contracts shown"]
    browser.run("document.querySelector('#c3').open = true")
    assert "pip install 'pytest-compilecheck[plots]'" in browser.texts(".note")[0]
