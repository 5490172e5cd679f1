"""``served``: a test that asks for it talks to a real listener; its body runs on a thread beside the loop."""

import inspect
from typing import get_args

import pytest

from tests.fakes.served import Kind, Served


@pytest.fixture(params=get_args(Kind))
def served(request: pytest.FixtureRequest) -> Served:
    """A host on each kind of listener; ``parametrize("served", ["unix"], indirect=True)`` chooses."""
    return Served(request.param)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    served = pyfuncitem.funcargs.get("served")
    if not isinstance(served, Served):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    served.run(lambda: pyfuncitem.obj(**arguments))
    return True
