"""A write from request to answer: the steps around carrying it out that a site, ``manage.py kubectl`` and the tests share."""

import re

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from simulator.door.answering import review_in, written_to
from simulator.door.dry_runs import unstored
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.paths import ApiPath
from simulator.door.protobuf import in_json
from simulator.door.scene import DoorScene
from simulator.door.statuses import answer_reply, status_reply
from simulator.door.validation import field_warnings, with_warnings
from simulator.door.writing import Writing, dry_run, refused_as, tried, written_reply
from simulator.engine.apiserver.answer import ApiError, bad_request
from simulator.engine.kernel.records import Record
from simulator.engine.world.world import World

_NUL = re.compile(rb"(?<!\\)\\{1,2}u0000")
"""The NUL character in a command, or in a JSON text inside a command."""


class JudgedWrite(Struct, frozen=True, kw_only=True):
    """A write that can be carried out: the request in JSON, what it is about, and the world it would lead to, a fork."""

    request: DoorRequest
    place: ApiPath
    writing: Writing
    world: World


def judged(request: DoorRequest, scene: DoorScene) -> JudgedWrite | DoorReply:
    """The write if it may be carried out; otherwise the answer: a refusal, a review, or a dry run. Costs as much as carrying it out."""
    try:
        request = in_json(request)
        if (review := review_in(request, scene)) is not None:
            return review
        place, resource = written_to(request, scene)
        warnings = field_warnings(request, place, resource, scene)
        writing, world = tried(request, place, resource, scene)
        if _NUL.search(msgspec.json.encode(writing.command)):
            raise bad_request("the body of the request contains the character U+0000, which the database of a run cannot store")
        writing = replace(writing, warnings=warnings)
        if not dry_run(request):
            return JudgedWrite(request=request, place=place, writing=writing, world=world)
        reply = written_reply(request, place, resource, replace(scene, world=world), writing)
        return with_warnings(unstored(reply, writing), warnings)
    except ApiError as error:
        return status_reply(error)


def outcome_reply(request: DoorRequest, scene: DoorScene, writing: Writing, own: Record | None) -> DoorReply:
    """The answer to a write that was carried out; ``own`` is its record and ``scene`` the moment just after it."""
    try:
        place, resource = written_to(request, scene)
    except ApiError as error:
        return status_reply(error)
    if own is not None and own.target == "refused":
        return answer_reply(refused_as(own, resource, place.name))
    return with_warnings(written_reply(request, place, resource, scene, writing), writing.warnings)
