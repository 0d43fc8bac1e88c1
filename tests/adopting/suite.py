import model
import pytest
import torch

from pytest_compilecheck import compile_contract

MODULES = [name for name, each in vars(model).items() if isinstance(each, type)]


@pytest.fixture
def net(name):
    torch.manual_seed(0)
    return getattr(model, name)()


@pytest.mark.parametrize("name", MODULES)
@compile_contract(compiles="net", shapes={"x": (2, 3)})
def test_it(net, x):
    net(x)
