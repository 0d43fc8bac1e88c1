"""The texts of a project with contracts on library code: the fixture `library`."""

from __future__ import annotations

HEAD = """
import functools
import torch
from torch import nn
from pytest_compilecheck import compile_contract
"""
OPS = """
@compile_contract(shapes={"x": "B 8"}, dims={"B": [2, 3, 4]}, max_recompiles=1)
def scaled(x, scale=2.0):
    return x * scale

alias = scaled
"""
INI = "[pytest]\ntestpaths = tests\npythonpath = src\ncompilecheck_modules = {}\n"
