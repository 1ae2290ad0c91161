"""What the kubectl tab says and what a real kubectl says through the door, line by line: each verb with its forms and its refusals.

A part of the lines of ``lines/`` is asked each time, another one of each version; all of them with ``--all-stories``, which takes ten
minutes of an idle core. ``differences.json`` names those that differ, with the reason; any other that differs fails, and so does one
of them that differs no more.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.headless.session import Session
from tests.door.clients import Kubectl
from tests.door.comparing import compared, kubeconfig, session_of
from tests.door.lines_to_compare import INPUTS, reading, writing
from tests.door.serving import Served, door_of

DIFFERENCES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "lines" / "differences.json").read_text())
"""By line: the versions that differ, with the reason."""
VERSIONS = ("1.20", "1.37")
"""The first and the last: what differs between the others was found with these lines too, and is not kept up."""
EACH = 20
"""One of so many lines is asked of each version where not all are."""
LINES = [*reading(), *writing()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    step = 1 if metafunc.config.getoption("--all-stories") else EACH
    cases = [(version, n) for place, version in enumerate(VERSIONS) for n in range(place * step // 2, len(LINES), step)]
    if "number" in metafunc.fixturenames:
        metafunc.parametrize(("version", "number"), cases, scope="module")


@pytest.fixture(scope="module")
def session(version: str) -> Session:
    return session_of(version)


@pytest.fixture(scope="module")
def door(session: Session) -> Iterator[Served]:
    with door_of(session.world, writes=True) as served:
        yield served


@pytest.fixture(scope="module")
def client(version: str, door: Served, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    home = tmp_path_factory.mktemp("home")
    kubeconfig(home, door.url)
    return Kubectl(version, "", home)


def test_the_tab_says_what_a_real_kubectl_says(version: str, number: int, session: Session, door: Served, client: Kubectl) -> None:
    line, given = LINES[number]
    said = compared(line, given, session, door, client)
    assert said.are_equal is not bool(DIFFERENCES.get(_typed(line, given), {}).get(version)), (line, said)


def _typed(line: str, given: str) -> str:
    """The line as it stands in its file."""
    return f"{line} < {next(name for name, text in INPUTS.items() if text == given)}" if given else line
