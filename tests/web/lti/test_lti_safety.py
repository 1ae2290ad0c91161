"""Warnings to the operator about an incomplete LTI configuration, and time limits for a platform."""

import json
import socket
from contextlib import nullcontext
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

import simulator.web.base.lti
from simulator.bench.faults.servers import NotInstalled
from simulator.web import checks
from simulator.web.base.lti import ANSWER_BYTES_MAX, ANSWER_S, patient_session
from tests.needs import where_installed


@pytest.fixture
def package():
    if find_spec("pylti1p3") is None:
        with where_installed():
            raise NotInstalled("pylti1p3")


def found():
    return [message.id for message in checks.check_lti(None)]


def test_nothing_is_said_where_lti_is_off(settings):
    settings.SIM_LTI_CONFIG = ""
    assert found() == []


def test_missing_package_is_reported(settings, monkeypatch):
    settings.SIM_LTI_CONFIG = "lti.json"
    monkeypatch.setattr(simulator.web.base.lti, "find_spec", lambda name: None)
    assert found() == ["sim.W003"]


@pytest.mark.parametrize(("text", "told"), [(None, ["sim.W004"]), ("{", ["sim.W004"]), (json.dumps({}), [])])
def test_configuration_that_cannot_be_read_is_reported(settings, tmp_path, package, text, told):
    path = tmp_path / "lti.json"
    if text is not None:
        path.write_text(text)
    settings.SIM_LTI_CONFIG = str(path)
    assert found() == told


@pytest.fixture
def silent():
    """A platform that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def test_platform_that_does_not_answer_is_left(silent, package, monkeypatch):
    monkeypatch.setattr(simulator.web.base.lti, "ANSWER_S", 0.2)
    with pytest.raises(TimeoutError):
        patient_session().get(silent)


def test_answer_that_is_too_long_is_refused(package):
    class Long:
        def iter_content(self, size):
            while True:
                yield b"x" * size

        def close(self):
            """Nothing is open."""

    with pytest.raises(ValueError, match="too long"):
        simulator.web.base.lti._whole_answer(lambda *args, **more: Long())


@pytest.mark.parametrize(
    ("took_s", "size", "is_read"),
    [
        (ANSWER_S, ANSWER_BYTES_MAX, True),
        (ANSWER_S + 0.001, 1, False),
        (0.0, ANSWER_BYTES_MAX + 1, False),
    ],
)
def test_answer_is_read_within_its_time_and_size(monkeypatch, took_s, size, is_read):
    times_s = iter([100.0, 100.0 + took_s])
    monkeypatch.setattr(simulator.web.base.lti, "monotonic", lambda: next(times_s))
    closed = []
    answer = SimpleNamespace(iter_content=lambda piece: [b"x" * size], close=lambda: closed.append(True))
    with nullcontext() if is_read else pytest.raises(ValueError, match="too long"):
        assert simulator.web.base.lti._whole_answer(lambda *args, **more: answer)._content == b"x" * size
    assert closed == ([] if is_read else [True])
