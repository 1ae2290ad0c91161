"""Checks on the database of a site: requests and answers as lines of JSON, by a process next to the site (``launch.py judge``)."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from msgspec import to_builtins

from simulator.engine.course.replay import replay
from simulator.engine.kernel.records import Record
from simulator.models import ClassAsk, ClassMember, Classroom, ClassVote, LevelAttempt, RecordChunk, Run, SharedScenario
from simulator.runs.log import storage, timemachine
from simulator.scenarios.portable import Limits, file_text, read_file

Answer = dict[str, Any]
ROOMY = Limits(commands_max=1_000_000, until_ms_max=86_400_000)


def owner(run_id: str) -> Answer:
    """Who owns the run, under which epoch, and how far its log goes."""
    run = Run.objects.get(id=run_id)
    return {"owner": run.owner if run.lease_until else "", "epoch": run.epoch, "head": run.head_seq, "state": run.state}


def waiting(run_id: str) -> Answer:
    """How many acts are not in the log yet."""
    return {"acts": Run.objects.get(id=run_id).commands.filter(applied_seq=None).count()}


def verdict(run_id: str, keys: list[str]) -> Answer:
    """What is wrong with the run, as sentences; empty if all is well. ``keys`` are those of the acts that were acknowledged.

    ``records`` is the log, as sockets send it.
    """
    run, commands = timemachine.standing(Run.objects.get(id=run_id))
    stored = storage.read(run.id, after=0, limit=run.head_seq, head=run.head_seq)
    made: list[Record] = []
    world = replay(run.header(), commands, until_ms=run.head_ms, into=made)
    wrong = []
    if [record.seq for record in stored] != list(range(1, run.head_seq + 1)):
        wrong.append("the log has a gap or a double")
    if stored != made:
        wrong.append("a replay gives other records")
    if world.digest() != bytes(run.head_digest):
        wrong.append("a replay gives another digest")
    wrong += _wrong_acts(run, stored, keys)
    refused = _stale_appends(run)
    return {"wrong": wrong, "records": to_builtins(stored), "refused": refused[0], "tried": refused[1]}


def _wrong_acts(run: Run, stored: list[Record], keys: list[str]) -> list[str]:
    rows = list(run.commands.values_list("client_key", "applied_seq"))
    applied = sorted(seq for _, seq in rows if seq is not None and seq <= len(stored))
    lost = [key for key in keys if sum(key == known for known, _ in rows) != 1]
    wrong = [f"act {key} was acknowledged and is not there once" for key in lost]
    if applied != [record.seq for record in stored if record.kind == "command"]:
        wrong.append("the acts that took their place are not those that were recorded")
    return wrong


def links(run_id: str, ids: list[str], known: int) -> Answer:
    """What is wrong with links that were copied while somebody acted in the run, as sentences. The first ``known`` were checked before; for
    these, only what has changed since.
    """
    run = Run.objects.get(id=run_id)
    records = storage.read(run.id, after=0, limit=run.head_seq, head=run.head_seq)
    shares = SharedScenario.objects.filter(id__in=ids[known:])
    wrong = [f"link {share.id} {words}" for share in shares for words in _wrong_link(share, records)]
    missing = set(ids) - set(SharedScenario.objects.filter(id__in=ids).values_list("id", flat=True))
    broken = Run.objects.filter(share_id__in=ids, is_frozen=True).exclude(state=Run.State.LIVE)
    wrong += [f"link {share_id} is lost" for share_id in sorted(missing)]
    return {"wrong": [*wrong, *(f"link {frozen.share_id} has a run that is {frozen.state}" for frozen in broken)]}


def _wrong_link(share: SharedScenario, records: list[Record]) -> Iterator[str]:
    """What is wrong with a link to a run that has these records: with its file, and with the run behind it."""
    content = read_file(file_text(share.content(), title=""), ROOMY)[0]
    replayed: list[Record] = []
    replay(content.header, content.commands, until_ms=content.until_ms, into=replayed)
    if replayed[: len(records)] != records[: len(replayed)]:
        yield "tells in its file of something that its run has not been"
    frozen = Run.objects.filter(share=share, is_frozen=True).first()
    if frozen is None:
        return
    stored = storage.read(frozen.id, after=0, limit=frozen.head_seq, head=frozen.head_seq)
    digest = replay(content.header, content.commands, until_ms=frozen.head_ms).digest()
    if stored != replayed[: len(stored)] or (stored and digest != bytes(frozen.head_digest)):
        yield "shows records that a replay does not give"


def lesson(code: str, ask_id: int, pupils: list[dict[str, Any]]) -> Answer:
    """What is wrong with a class at rest, as sentences; its ``failed`` attempts by pupil, and the ``counts`` of the vote.

    ``pupils`` are what the site has acknowledged to each: names, runs, hands, votes, checks and the keys of acts.
    """
    room = Classroom.objects.get(id=code)
    members = {member.name: member for member in ClassMember.objects.filter(room=room)}
    wrong = [] if sorted(members) == sorted(pupil["name"] for pupil in pupils) else [f"the class has the members {sorted(members)}"]
    failed: dict[str, int] = {}
    for pupil in pupils:
        member = members.get(pupil["name"])
        if member is not None:
            wrong += [f"{member.name} {words}" for words in _wrong_pupil(room, member, pupil, ask_id)]
            failed[member.name] = LevelAttempt.objects.filter(run_id=pupil["run_id"], passed=False).count()
    counts = [
        ClassVote.objects.filter(ask_id=ask_id, choice=choice).count() for choice in range(len(ClassAsk.objects.get(id=ask_id).choices))
    ]
    return {"wrong": wrong, "failed": failed, "counts": counts}


def _wrong_pupil(room: Classroom, member: ClassMember, acknowledged: dict[str, Any], ask_id: int) -> Iterator[str]:
    if str(member.run_id) != acknowledged["run_id"] or member.start_n != room.starts:
        yield "has lost the run that was theirs"
    runs = Run.objects.filter(owner_hash=member.owner_hash, level__gt="").count()
    if runs > room.starts:
        yield f"has {runs} runs of {room.starts} starts"
    attempts = LevelAttempt.objects.filter(run_id=acknowledged["run_id"]).count()
    if not acknowledged["checked"] <= attempts <= acknowledged["asked"]:
        yield f"has {attempts} attempts of {acknowledged['asked']} that were asked for and {acknowledged['checked']} that were acknowledged"
    if (member.hand_at is not None) != acknowledged["hand"]:
        yield "has another hand than was acknowledged"
    votes = [*ClassVote.objects.filter(ask_id=ask_id, member=member).values_list("choice", flat=True)]
    if votes != ([acknowledged["choice"]] if acknowledged["choice"] >= 0 else []):
        yield f"has the votes {votes}, and {acknowledged['choice']} was acknowledged"
    yield from verdict(acknowledged["run_id"], acknowledged["keys"])["wrong"]


def _stale_appends(run: Run) -> tuple[int, int]:
    """Try to append under every past epoch, at the log's end; how many were refused, and how many were tried."""
    refused = 0
    for epoch in range(run.epoch):
        row = Run.objects.get(id=run.id)
        batch = storage.Addition(head_seq=row.head_seq, head_ms=row.head_ms, digest=bytes(row.head_digest))
        try:
            with transaction.atomic():
                storage.append(run.id, epoch=epoch, batch=batch)
                transaction.set_rollback(True)
        except storage.LostLease:
            refused += 1
    return refused, run.epoch


def tear(run_id: str, number: int) -> Answer:
    """Truncate the body of a chunk to half."""
    chunk = _chunk(run_id, number)
    RecordChunk.objects.filter(pk=chunk.pk).update(body=bytes(chunk.body)[: len(chunk.body) // 2])
    return {}


def drop(run_id: str, number: int) -> Answer:
    """Delete a chunk."""
    _chunk(run_id, number).delete()
    return {}


def _chunk(run_id: str, number: int) -> RecordChunk:
    chunks = RecordChunk.objects.filter(run_id=UUID(run_id)).order_by("first_seq")
    return chunks[number % chunks.count()]


QUESTIONS: dict[str, Callable[..., Answer]] = {
    "owner": owner,
    "waiting": waiting,
    "verdict": verdict,
    "links": links,
    "lesson": lesson,
    "tear": tear,
    "drop": drop,
}


def main() -> None:
    """Answer requests until there are no more. A request that fails is answered with its error."""
    for line in sys.stdin:
        name, *words = json.loads(line)
        try:
            answer = QUESTIONS[name](*words)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        connection.close()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
