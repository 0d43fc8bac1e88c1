"""Code whose source is in an odd place, or in none: breaks keep their file and line."""

from __future__ import annotations

import zipfile

import pytest

from pytest_layer.projects import Project

FUNCTION = """\
def {name}(x):
    y = x + 1
    print("break")
    return y * 2
"""
LONG = "def long(x):\n" + "    y = 1\n" * 4000 + "    # nothing\n" * 6000

TESTS = """
import functools, importlib, linecache, os, sys, types

def held(make):
    @compile_contract(watch_only=True, passes=1)
    def test_it():
        torch.compile(make(), backend="eager")(torch.ones(3))
    return test_it

def module(name):
    return held(lambda: getattr(importlib.import_module(name), name))

test_windows, test_linked, test_zipped, test_größe, test_long = map(
    module, ["windows", "linked", "zipped", "größe", "long"]
)

def made(text, file):
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["made"]

TEXT = 'def made(x):\\n    y = x + 1\\n    print("break")\\n    return y * 2\\n'

@held
def test_text():
    return made(TEXT, "<string>")

@held
def test_cell():
    cell = "<ipython-input-1-0123456789ab>"
    linecache.cache[cell] = (len(TEXT), None, TEXT.splitlines(True), cell)
    return made(TEXT, cell)

@held
def test_deleted():
    import deleted
    os.remove(deleted.__file__)
    linecache.clearcache()
    return deleted.deleted

@held
def test_lambda():
    return lambda x: print("break") or x + 1

def scaled(x, n):
    print("break")
    return x * n

@held
def test_partial():
    return functools.partial(scaled, n=2)

@held
def test_renamed():
    code = scaled.__code__.replace(co_filename="/\\x1b]0;title\\x07/x\\ny.py", co_name="n\\x1b[2J")
    return types.FunctionType(code, globals(), "n\\x1b[2J", (2,))
"""

LINE = 'print("break")'
PLACES = {
    "windows": ("windows.py", 3, LINE),
    "linked": ("linked.py", 3, LINE),
    "zipped": ("lib.zip/zipped.py", 3, LINE),
    "größe": ("größe.py", 3, f'ß = "ä"; {LINE}'),
    "long": ("long.py", 10003, LINE),
    "text": ("<string>", 3, ""),
    "cell": ("<ipython-input-1-0123456789ab>", 3, LINE),
    "deleted": ("deleted.py", 3, ""),
    "lambda": ("test_it.py", 45, 'return lambda x: print("break") or x + 1'),
    "partial": ("test_it.py", 48, LINE),
    "renamed": ("/\x1b]0;title\x07/x\ny.py", 48, ""),
}


@pytest.mark.slow
def test_places_of_breaks(project: Project) -> None:
    folder = "ünter ☃"
    where = project.path / folder
    function = FUNCTION.format(name="{0}")
    project.file(f"{folder}/real.py", function.format("linked"))
    (where / "linked.py").symlink_to("real.py")
    (where / "windows.py").write_text(function.format("windows"), newline="\r\n")
    project.file(f"{folder}/deleted.py", function.format("deleted"))
    project.file(f"{folder}/größe.py", function.format("größe").replace("pr", 'ß = "ä"; pr'))
    _, rest = function.format("long").split("\n", 1)
    project.file(f"{folder}/long.py", LONG + rest)
    with zipfile.ZipFile(where / "lib.zip", "w") as archive:
        archive.writestr("zipped.py", function.format("zipped"))
    project.file(f"{folder}/pytest.ini", "[pytest]\npythonpath = . lib.zip\n")
    project.tests(TESTS, name=f"{folder}/test_it.py")
    result = project.run("--compilecheck-json=report.json", "-v", f"--rootdir={where}", folder)
    result.assert_outcomes(failed=len(PLACES))
    records = project.read_report()["contracts"]
    found = {record["id"].partition("::test_")[2]: record["observed"] for record in records}
    assert {
        name: [(site["file"], site["line"], site["code"]) for site in seen["break_sites"]]
        for name, seen in found.items()
    } == {name: [place] for name, place in PLACES.items()}
    text = result.stdout.str()
    assert not {char for char in text if not char.isprintable()} - {"\n"}
