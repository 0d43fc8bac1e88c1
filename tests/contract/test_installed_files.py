from __future__ import annotations

import pytest

from pytest_compilecheck.contract.installed_files import portable


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("model/mlp.py", "model/mlp.py"),
        ("/env/lib/python3.11/site-packages/einops/layers.py", "einops/layers.py"),
        (".venv/lib/python3.13/site-packages/einops/layers.py", "einops/layers.py"),
        ("C:/env/Lib/site-packages/einops/layers.py", "einops/layers.py"),
        ("/usr/lib/python3/dist-packages/numpy/core.py", "numpy/core.py"),
        ("/usr/lib/python3.14t/contextlib.py", "contextlib.py"),
        ("my-site-packages/model.py", "my-site-packages/model.py"),
        ("/elsewhere/model.py", "/elsewhere/model.py"),
        ("<stdin>", "<stdin>"),
    ],
)
def test_the_file_of_a_package_is_named_as_every_machine_names_it(file: str, told: str) -> None:
    assert portable(file) == told
