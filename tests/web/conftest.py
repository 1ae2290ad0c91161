"""Fixtures of the tests of pages."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.utils.translation import deactivate

from simulator.management.commands.load_scenarios import scenario_fields
from simulator.models import Scenario
from simulator.scenarios.story import read_stories


@pytest.fixture(autouse=True)
def _language() -> Iterator[None]:
    """A page in another language leaves it active in the thread, and so for the next test."""
    yield
    deactivate()


@cache
def built_in() -> dict[str, dict[str, Any]]:
    """The columns of every built-in scenario, by slug. Building their contents takes longer than most tests of pages."""
    return {story.slug: scenario_fields(story) for story in read_stories()}


@pytest.fixture
def stories(db) -> None:
    """The built-in scenarios, as loaded by ``manage.py load_scenarios`` into an empty database."""
    Scenario.objects.bulk_create(Scenario(slug=slug, **fields) for slug, fields in built_in().items())
