"""Files that wget and curl cannot write: each program's message, with the name as it was typed."""

import pytest

from simulator.engine.containers import HttpAnswer, Launch
from tests.engine.containers.containers import Box

BUSYBOX, GNU = "busybox:1.28", "python:3"


class OneServer:
    """A network with one server, which counts its requests."""

    def __init__(self) -> None:
        self.asked = 0

    def resolve(self, name: str) -> str | None:
        return "10.0.0.8" if name == "web" else None

    def is_unlisted(self, name: str) -> bool:
        return False

    def is_taken(self, port: int) -> bool:
        return False

    def get(self, host: str, port: int, path: str, meter: object) -> HttpAnswer:
        self.asked += 1
        return HttpAnswer("answered", 200, "page\n")


def fetching(command: str, image: str = BUSYBOX, lookup: OneServer | None = None) -> list[str]:
    """The output of a container that fetches something and prints the exit code."""
    script = f"mkdir -p /data /data/index.html; cd /data; {command}; echo rc $?"
    box = Box(Launch(image, command=("sh", "-c", script)), lookup=lookup or OneServer()).at(1000)
    return [*box.stderr, *box.stdout]


@pytest.mark.parametrize("name", ["none/x", "/database/x", "/data/none/x", "../none/x", "./none/x"])
def test_busybox_wget_names_the_file_as_it_was_typed(name: str) -> None:
    assert fetching(f"wget -q -O {name} http://web") == [f"wget: can't open '{name}': No such file or directory", "rc 1"]


@pytest.mark.parametrize("name", ["none/x", "/database/x"])
def test_gnu_wget_opens_the_file_before_it_asks(name: str) -> None:
    lookup = OneServer()
    assert fetching(f"wget -q -O {name} http://web", GNU, lookup) == [f"{name}: No such file or directory", "rc 1"]
    assert lookup.asked == 0


def test_gnu_wget_leaves_an_empty_file_where_the_request_fails() -> None:
    assert fetching("wget -q -O page http://nowhere; wc -c < page", GNU)[1:] == ["0", "rc 0"]


def test_gnu_wget_has_other_words_for_the_file_that_a_url_names() -> None:
    told = fetching("wget http://web", GNU)
    assert told[1:] == ["index.html: Is a directory", "", "Cannot write to 'index.html' (Is a directory).", "rc 3"]


def test_gnu_wget_that_is_quiet_says_nothing_of_the_file_that_a_url_names() -> None:
    assert fetching("wget -q http://web", GNU) == ["rc 3"]


@pytest.mark.parametrize(("flags", "said"), [("", True), ("-s", False), ("-sS", True)])
def test_curl_that_is_silent_says_nothing_of_its_file(flags: str, said: bool) -> None:
    told = fetching(f"curl {flags} -o none/x http://web", GNU)
    assert told == [*(["curl: (23) Failure writing output to destination"] if said else []), "rc 23"]
