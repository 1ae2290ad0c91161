"""What the tests of sockets share."""

import pytest
from django.utils.translation import deactivate

from simulator.runs.live import consumers


@pytest.fixture(autouse=True)
def _prompt_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody asks again and again here."""
    monkeypatch.setattr(consumers, "REFUSAL_S", 0.0)


@pytest.fixture(autouse=True)
def _language():
    """A page in another language leaves it to the thread, and so to the next test."""
    yield
    deactivate()
