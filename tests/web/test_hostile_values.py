"""Whatever is in a query or a posted field, no address fails because of it, and none repeats it in a redirect.

The names that an address reads are not listed here: they are what it reads from its query and its body, in repeated requests until there is
nothing new, so that a field that is added tomorrow is tested tomorrow.
"""

import copy
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch
from urllib.parse import unquote, urlencode

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import get_resolver, reverse

from simulator.models import ClassMember, Classroom
from simulator.runs.services.class_wall import member_join
from simulator.runs.services.levels import course_share, level_share
from simulator.runs.services.shares import share_create
from tests.factories import OWNER, make_run
from tests.runs.services.test_sweeps import ask
from tests.web.helpers import play, sign_in_as_owner

NUMBERS = (
    "1e999999", "-1e999999", "1e-999999", "-1", "NaN", "sNaN", "Infinity", "-Infinity", "0x10", "1_000", "１２", "٣", "+5",
    " 7", "1.5", ".5",
    "1e3", "2147483648", "9223372036854775808", "9" * 400, "1" + "0" * 5000, "-" + "9" * 5000, "0." + "0" * 5000 + "1",
)  # fmt: skip
TEXTS = (
    "", "\x00", "a\x00b", "\ud800", "\u202eabc\u2066", "a\u200bb", "\ufeff", "\r\nSet-Cookie: a=b", "a\nb",
    "//evil.example/", "x" * 100_000,
    "\x00" * 1000, "[" * 5000, "pod/default/web\x00", "default/web\ud800", "'\"><img src=x>", "%", "%00", "{", "../../etc/passwd", "\\",
)  # fmt: skip
VALUES = (*NUMBERS, *TEXTS)
WORST = ("1e999999", "a\x00b", "1" + "0" * 5000)
"""Tried for every name; the others are tried in rotation."""
MANY = 8
"""A name that many addresses read is read by the same code for all of them: each tries two different values of it."""
PARTS = 4
"""How many tests share the addresses: a single one would take long."""
PLAIN = {
    "do": "play", "from_ms": "0", "to_ms": "5000", "at_ms": "0", "until_ms": "5000", "client_key": "12345678", "manifest": "kind: Pod",
    "kubernetes": "1.30", "k": "get pods", "sel": "pod/default/web", "pod": "default/web", "handle": "probe-period", "seeds": "2",
    "seconds": "5", "field": "Pod web: spec.terminationGracePeriodSeconds", "first": "1", "last": "2", "outcome": "restarts", "text": "{}",
    "recs": "1", "kind": "phase", "given": "0", "choice": "Running", "code": "abcdef",
}  # fmt: skip
"""Values that let a form get as far as reading one of its other fields."""


class Names:
    """The names that are read from queries and bodies while it is open."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def __enter__(self) -> "Names":
        self._patches = [
            patch.object(QueryDict, method, self._noting(method)) for method in ("get", "getlist", "__getitem__", "__contains__")
        ]
        for each in self._patches:
            each.start()
        return self

    def __exit__(self, *_error: object) -> None:
        for each in self._patches:
            each.stop()

    def _noting(self, method: str):
        real = getattr(QueryDict, method)

        def noted(query, name, *rest, **more):
            self.found.add(name)
            return real(query, name, *rest, **more)

        return noted


LEVEL = 'title = "t"\nhorizon = "9s"\nstory = "hello-pod"\n[[check]]\nid = "a"\nnever = { machine = "stop" }\n'


class Site:
    """A site with one of each thing that has an address."""

    def __init__(self) -> None:
        self.run = play(make_run(), 10_000)
        self.client = Client()
        sign_in_as_owner(self.client)
        share, sweep = share_create(run=self.run), ask()
        self.client.post(reverse("sim:classes"), {"path": ""})
        code = Classroom.objects.get().id
        level, course = level_share(text=LEVEL, title="t", owner_key=OWNER), course_share(text="# t\n/l/a/", title="t")
        self.values = {
            "run_id": self.run.id, "other_id": self.run.id, "share_id": share.id, "sweep_id": sweep.id, "code": code, "slug": "hello-pod",
            "minor": "1.33", "kind": "Pod", "tab": "why", "seq": self.run.head_seq, "namespace": "default", "name": "web", "language": "en",
            "digest": "abc", "step": "try-1", "level_id": level.id, "course_id": course.id, "ask_id": "a", "member_id": self.member_id(),
            "track": "basics",
        }  # fmt: skip

    @contextmanager
    def as_it_is(self) -> Iterator[None]:
        """Restore the site after the block."""
        cookies = copy.deepcopy(self.client.cookies)
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
        self.client.cookies = cookies

    def member_id(self) -> int:
        """A pupil of the class who has a run."""
        member = member_join(room=Classroom.objects.get(), owner_key="pupil", name="Pupil")
        ClassMember.objects.filter(id=member.id).update(run=self.run)
        return member.id

    def addresses(self) -> dict[str, str]:
        """Every address by its name."""
        found = {}
        for pattern in get_resolver("simulator.web.urls").url_patterns:
            found[pattern.name] = reverse(f"sim:{pattern.name}", kwargs={n: self.values[n] for n in pattern.pattern.converters})
        return found

    def asked(self, path: str, method: str) -> set[str]:
        """The names that an address reads, whatever the request."""
        known: set[str] = set()
        while True:
            with Names() as names:
                self.send(path, method, {name: PLAIN.get(name, "1") for name in known})
                self.send(path, method, {})
            if names.found <= known:
                return known
            known |= names.found

    def send(self, path: str, method: str, values: dict[str, str]):
        """The answer; values go into the query of a GET and into the body of a POST."""
        text = urlencode({name: value.encode("utf-8", "surrogatepass") for name, value in values.items()})
        if method == "get":
            return self.client.get(f"{path}?{text}")
        return self.client.post(path, text, content_type="application/x-www-form-urlencoded")


def problem_of(answer) -> str:
    """What is wrong with an answer; empty if nothing is."""
    if answer.status_code >= 500 and answer.status_code not in (501, 503):
        return f"status {answer.status_code}"
    there = unquote(answer.headers.get("Location", "") + answer.headers.get("HX-Redirect", ""))
    if any(ord(each) < 32 or 0xD800 <= ord(each) < 0xE000 or each in "\u202e\u2066\u200b\ufeff\ufffd" for each in there):
        return f"a redirect to {there[:80]!r}"
    if len(there) > 4000 or there.startswith("//") or "evil.example" in there.partition("?")[0]:
        return f"a redirect to {there[:80]!r}"
    return ""


def read_by(site: Site, method: str) -> dict[str, set[str]]:
    """By the name of each address: the names that it reads. Determined once per process."""
    if method not in _READ:
        _READ[method] = {}
        for name, path in site.addresses().items():
            with site.as_it_is():
                _READ[method][name] = site.asked(path, method)
    return _READ[method]


_READ: dict[str, dict[str, set[str]]] = {}


def tries(read: dict[str, set[str]], address: str, method: str) -> Iterator[tuple[str, str]]:
    """Names and values to try at an address: the worst for every name, and some others in rotation."""
    readers = Counter(name for names in read.values() for name in names)
    for name in sorted(read[address]):
        turns = random.Random(f"{address} {method} {name}")
        for value in turns.sample(VALUES, 2) if readers[name] > MANY else (*WORST, *turns.sample(VALUES, 3)):
            yield name, value


def problem_with(site: Site, path: str, method: str, values: dict[str, str]) -> str:
    """What is wrong with the answer, or with its absence; empty if nothing is."""
    try:
        return problem_of(site.send(path, method, values))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("method", ["get", "post"])
def test_no_value_of_a_field_fails_an_address(stories, method, part):
    site, bad = Site(), []
    read = read_by(site, method)
    for name, path in [*site.addresses().items()][part::PARTS]:
        with site.as_it_is():
            for field, value in tries(read, name, method):
                others = {each: PLAIN[each] for each in PLAIN if each != field}
                if problem := problem_with(site, path, method, {**others, field: value}):
                    bad.append(f"{name} {field}={value[:20]!r}: {problem}")
    assert bad == []


@pytest.mark.parametrize("method", ["get", "post"])
def test_no_value_of_a_name_that_all_addresses_read_fails_one(stories, method):
    site = Site()
    path = reverse("sim:run", args=[site.run.id])
    for name in site.asked("/no-such-address/", method):
        assert [value[:20] for value in VALUES if problem_with(site, path, method, {**PLAIN, name: value})] == []
