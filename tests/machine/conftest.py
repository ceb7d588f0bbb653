import pytest

from checker.machine import store


@pytest.fixture(scope="session", autouse=True)
def compiled():
    """The kernels are compiled once, before a test has to be quick."""
    store.kernels("int8")
