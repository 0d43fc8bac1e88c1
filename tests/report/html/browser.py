"""Headless Chromium for tests of the page; the one that is installed, with its driver."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.html.page import html_text

_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
_LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd > 0"
_DRIVER = shutil.which("chromedriver")


class Browser:
    """A page in a window."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def show(self, report: RunReport, folder: Path) -> None:
        """Write the page of a report and open it from disk."""
        path = folder / "report.html"
        path.write_text(html_text(report), "utf-8")
        self.driver.get(path.as_uri())
        self.until(_LOADED)

    def reload(self) -> None:
        """Open the page again."""
        self.driver.refresh()
        self.until(_LOADED)

    def run(self, script: str, *arguments: object) -> Any:
        """What a function body in JavaScript gives."""
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: str) -> None:
        """Wait until an expression in JavaScript is true."""
        from selenium.webdriver.support.wait import WebDriverWait

        waiting = WebDriverWait(self.driver, 20, poll_frequency=0.05)
        waiting.until(lambda _: self.run(f"return {condition}"), condition)

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that are shown, in the order of the page."""
        return list(
            self.run(
                "return [...document.querySelectorAll(arguments[0])]"
                ".filter(each => each.checkVisibility()).map(each => each.textContent)",
                selector,
            )
        )

    def command(self, name: str, **values: object) -> Any:
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, values)

    def media(self, media: str = "", **features: str) -> None:
        """Show the page as on other media: media("print"), media(prefers_color_scheme="dark")."""
        wanted = [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()
        ]
        self.command("Emulation.setEmulatedMedia", media=media, features=wanted)

    def width(self, pixels: int) -> None:
        """Make the window so wide."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=pixels,
            height=800,
            deviceScaleFactor=1,
            mobile=pixels < 600,
        )

    def complaints(self) -> list[str]:
        """What stands in the console since the last time: errors and warnings of the page."""
        return [each["message"] for each in self.driver.get_log("browser")]


@contextmanager
def started() -> Iterator[Browser]:
    """A browser; the test is skipped where there is none."""
    if _CHROMIUM is None or _DRIVER is None:
        pytest.skip("needs chromium and chromedriver on the PATH")
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = _CHROMIUM
    # As root, and in containers with little shared memory, Chromium starts only so.
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1200,900"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(_DRIVER))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
