"""Fixtures for the tests of sockets."""

import pytest
from django.utils.translation import deactivate

from simulator.runs.live import consumers


@pytest.fixture(autouse=True)
def _prompt_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here relies on the delay of refusals."""
    monkeypatch.setattr(consumers, "REFUSAL_S", 0.0)


@pytest.fixture(autouse=True)
def _language():
    """A page in another language leaves it active in the thread, and so for the next test."""
    yield
    deactivate()
