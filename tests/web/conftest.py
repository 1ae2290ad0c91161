"""Fixtures of the tests of pages."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.utils.translation import deactivate


@pytest.fixture(autouse=True)
def _language() -> Iterator[None]:
    """A page in another language leaves it to the thread, and so to the next test."""
    yield
    deactivate()


@pytest.fixture
def stories(db) -> None:
    """The built-in scenarios."""
    call_command("load_scenarios", verbosity=0)
