"""What a server of revision 2 stored stays readable forever: fields may be added to headers and commands, never removed."""

import json

import msgspec
import pytest

from simulator.engine.acts.all_acts import COMMAND
from simulator.engine.course.header import HEADER
from simulator.models import Run, RunCommand, SharedScenario
from simulator.runs.log.content import CONTENT, decode, decode_content
from tests.runs.log.kept import revision_2

pytestmark = pytest.mark.django_db


def within(old: object, new: object) -> bool:
    """Whether ``new`` contains everything in ``old``."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in new and within(value, new[name]) for name, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(within, old, new))
    return old == new


def again(value: object) -> object:
    return json.loads(msgspec.json.encode(value))


def test_every_command_keeps_what_it_said():
    revision_2()
    bodies = list(RunCommand.objects.values_list("body", flat=True))
    assert len(bodies) == 13
    assert [body for body in bodies if not within(json.loads(body), again(decode(body, COMMAND)))] == []


def test_every_header_keeps_what_it_said():
    revision_2()
    bodies = [bytes(run.header_body) for run in Run.objects.all()]
    assert len(bodies) == 2
    assert all(within(json.loads(body), again(decode(body, HEADER))) for body in bodies)


def test_every_link_keeps_what_it_said():
    revision_2()
    for share in SharedScenario.objects.all():
        assert within(json.loads(share.body), again(decode(share.body, CONTENT)))
        assert decode_content(share.body).header.revision == 2
