"""The kubectl tab and a real kubectl through the API, compared line by line: each verb with its output formats and its refusals.

Each run of the tests compares some of the lines of ``lines/``, different ones for each version; ``--all-stories`` compares all, which takes
ten minutes of an idle core. ``differences.json`` lists those that differ, with the reason; any other difference fails, and so does a listed
one that no longer differs.
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
"""The first and the last: these lines also found differences between the others, but that list is not maintained."""
EACH = 20
"""Compare one of this many lines for each version, unless all are compared."""
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
    """The line as written in its file."""
    return f"{line} < {next(name for name, text in INPUTS.items() if text == given)}" if given else line
