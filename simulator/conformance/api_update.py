"""Recorded answers to changes of a pod: every case is a request about one pod, which goes through the rules of 1.20.

The recordings name their cases but do not hold the bodies of PUT requests; what a name means stands in ``api_update_bodies``.
"""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.conformance.api_outcome import ApiOutcome, compare
from simulator.conformance.api_update_bodies import BETWEEN, BODIES, CREATED
from simulator.engine.api.admission.additions import admit_change
from simulator.engine.api.admission.chain import admit
from simulator.engine.api.admission.surroundings import EMPTY_CLUSTER
from simulator.engine.api.answer import Answer, ApiError, bad_request, invalid_object, not_found
from simulator.engine.api.defaults.pod import default_pod_document
from simulator.engine.api.kinds import KINDS
from simulator.engine.api.manifest import pod_from_document
from simulator.engine.api.patch_request import patched, undecodable
from simulator.engine.api.shapes import shape_problem
from simulator.engine.api.validation.metadata_update import Target, before_update
from simulator.engine.api.validation.update import validate_pod_update
from simulator.engine.api.validation.update_prepare import prepare_pod_update
from simulator.engine.errors import BadManifest
from simulator.engine.profile.release import Release

Json = dict[str, Any]
Request = Callable[[Json], Json]
"""What a request makes of the stored pod. Raises ApiError."""
MINOR = 20
_RELEASE = Release(MINOR)
_TARGET = Target(resource="pods", name="upd", namespace="rej")
_UNKNOWN_FORMAT = (
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, "
    "application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"
)
_PATCHES = {"json-patch+json": "json", "merge-patch+json": "merge", "strategic-merge-patch+json": "strategic"}


def measure(path: Path) -> list[ApiOutcome]:
    """Compare the cases of a file of recorded answers; those whose body nobody knows are left out. Raises OSError."""
    stored = _created()
    outcomes = []
    for recorded in json.loads(path.read_text(encoding="utf-8")):
        stored = BETWEEN.get(recorded["case"], copy.deepcopy)(copy.deepcopy(stored))
        request = _request(recorded)
        if request is None:
            continue
        try:
            stored = request(stored)
            outcomes.append(compare(recorded, None, code=200))
        except ApiError as error:
            outcomes.append(compare(recorded, error.answer, code=error.answer.code))
    return outcomes


def _created() -> Json:
    pod = default_pod_document(CREATED, release=_RELEASE)
    admit(pod, KINDS["Pod"], EMPTY_CLUSTER, release=_RELEASE, namespace=_TARGET.namespace, suffix="xxxxx")
    return pod


def _request(recorded: Json) -> Request | None:
    """The request of a case; None when its body is not known."""
    name, method = recorded["case"], recorded.get("method", "")
    if name in _OTHERS:
        return _OTHERS[name]
    if method.startswith("PATCH"):
        return _patch(recorded, method.rpartition("application/")[2])
    if isinstance(sent := recorded.get("body"), dict):
        return lambda stored: _put(stored, sent)
    body = BODIES.get(name)
    return None if body is None else lambda stored: _put(stored, body(copy.deepcopy(stored)))


def _patch(recorded: Json, method: str) -> Request:
    content, _, subresource = method.partition("/")
    body = recorded["body"]
    text = body if isinstance(body, str) else json.dumps(body)

    def request(stored: Json) -> Json:
        if content.removesuffix("x") in _PATCHES and content not in _PATCHES:
            raise not_found("pods", "updx")
        if content not in _PATCHES:
            raise ApiError(Answer(code=415, reason="UnsupportedMediaType", message=_UNKNOWN_FORMAT))
        wanted = patched(stored, text, _PATCHES[content], minor=MINOR)
        return _stored(stored, wanted, subresource=subresource, is_patch=True)

    return request


def _put(stored: Json, body: Json) -> Json:
    return _stored(stored, body, subresource="", is_patch=False)


def _stored(stored: Json, wanted: Json, *, subresource: str, is_patch: bool) -> Json:
    """The pod that the server stores in the end. Raises ApiError."""
    problem = shape_problem(wanted, minor=MINOR)
    try:
        pod_from_document(wanted)
    except BadManifest as error:
        problem = problem or str(error)
    if problem:
        raise undecodable(wanted, problem) if is_patch else bad_request(problem)
    taken = prepare_pod_update(stored, default_pod_document(wanted, release=_RELEASE), subresource=subresource)
    new = before_update(stored, taken, _TARGET, is_patch=is_patch)
    admit_change(stored["spec"], new["spec"])
    errors = validate_pod_update(stored, new, release=_RELEASE, subresource=subresource)
    if errors:
        raise invalid_object("Pod", _TARGET.name, errors)
    return new


def _missing_namespace(stored: Json) -> Json:
    raise not_found("namespaces", "ghost")


_OTHERS: dict[str, Request] = {"delete negative grace": copy.deepcopy, "create in missing namespace": _missing_namespace}
"""Requests of the same file that change no pod."""
