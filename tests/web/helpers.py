"""Runs with a past, for tests of the pages: as a runner would have written them, without a runner."""

from django.core import signing

from simulator.engine.course.replay import Course
from simulator.models import Run, RunCommand
from simulator.runs import permissions
from simulator.runs.log import storage
from simulator.runs.log.history import commands_of
from tests.factories import OWNER, own

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: app
    image: busybox:1.36
    command: ["sleep", "3600"]
"""


def play(run: Run, until_ms: int) -> Run:
    """Compute the run up to a moment and write its records; waiting commands are given at the head."""
    waiting = RunCommand.objects.filter(run=run, at_ms=None)
    for row in waiting:
        row.at_ms = run.head_ms
        row.save()
    course = Course(run.header(), commands_of(run))
    leg = course.drive(until_ms)
    records = tuple(course.world.first_records) + tuple(leg.records)
    fresh = tuple(record for record in records if record.seq > run.head_seq)
    places = tuple(place for place in leg.applied if place.seq > run.head_seq)
    batch = storage.Addition(records=fresh, applied=places, head_seq=course.world.seq, head_ms=until_ms, digest=course.world.digest())
    storage.append(run.id, epoch=own(run), batch=batch)
    Run.objects.filter(id=run.id).update(lease_until=None)
    run.refresh_from_db()
    return run


def sign_in_as_owner(client, key: str = OWNER) -> None:
    """Give the browser the owner's cookie."""
    client.cookies[permissions.COOKIE] = signing.dumps(key, salt="podscope.owner")


def text_of(response) -> str:
    """The page as text."""
    return response.content.decode()


def versions_of(found) -> list[str]:
    """The versions of a track, as assembled by the browser."""
    before: list[int] = []
    texts = []
    for head, lines, tail in found["bodies"]:
        before = [*before[:head], *lines, *before[len(before) - tail :]]
        texts.append("\n".join(found["lines"][each] for each in before))
    return texts
