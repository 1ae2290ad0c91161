"""A course that cannot be played reports it with a single type of error, whatever the engine failed on."""

import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course import replay
from simulator.engine.course.replay import Course
from simulator.engine.kernel.errors import EngineFailed, UnknownVersion
from tests.factories import make_header

PARTS = ["new_world", "advance", "carried_out"]


def played() -> None:
    Course(make_header(), [Stamped(at_ms=10, n=1, command=DeletePod(target="default/web"))]).drive(100)


def fails_with(monkeypatch: pytest.MonkeyPatch, part: str, error: BaseException) -> None:
    def failing(*args: object, **fields: object) -> None:
        raise error

    monkeypatch.setattr(replay, part, failing)


@pytest.mark.parametrize("part", PARTS)
def test_any_failure_of_a_step_is_reported_as_one_error(monkeypatch, part):
    fails_with(monkeypatch, part, KeyError("nonsense"))
    with pytest.raises(EngineFailed, match="KeyError: 'nonsense'") as caught:
        played()
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("part", PARTS)
def test_want_of_memory_is_not_blamed_on_the_engine(monkeypatch, part):
    fails_with(monkeypatch, part, MemoryError())
    with pytest.raises(MemoryError):
        played()


def test_what_the_engine_refuses_on_purpose_keeps_its_words(monkeypatch):
    fails_with(monkeypatch, "new_world", UnknownVersion("no profile for 1.2"))
    with pytest.raises(EngineFailed, match=r"^no profile for 1\.2$"):
        played()
