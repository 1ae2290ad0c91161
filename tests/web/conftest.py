"""Fixtures of the tests of pages."""

import pytest
from django.core.management import call_command


@pytest.fixture
def stories(db) -> None:
    """The built-in scenarios."""
    call_command("load_scenarios", verbosity=0)
