"""The field manager of a client's writes, and server-side apply as a command of the run.

Source: apiserver pkg/endpoints/handlers/create.go managerOrUserAgent; apimachinery pkg/apis/meta/v1/validation
ValidatePatchOptions.
"""

import json

from simulator.door.exchange import DoorRequest
from simulator.door.paths import ApiPath
from simulator.door.resources import Resource
from simulator.door.scene import DoorScene
from simulator.engine.acts.objects.server_side_apply import ApplyServerSide
from simulator.engine.apiserver.answer import Answer, ApiError, Cause, bad_request
from simulator.engine.apiserver.managed.managers import with_managed_fields
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.world.world import World
from simulator.kubectl.output.managed import UNMANAGED
from simulator.kubectl.yaml import from_yaml

APPLY_PATCH = "application/apply-patch+yaml"
_NAME_MAX = 128


def manager_of(request: DoorRequest) -> str:
    """The field manager: the one in the query, or else the first part of the User-Agent. Raises ApiError (422)."""
    name = request.value("fieldManager")
    if not name:
        return request.agent.partition("/")[0][:_NAME_MAX]
    if len(name) > _NAME_MAX:
        raise _invalid("fieldManager", "FieldValueTooLong", f"Too long: may not be more than {_NAME_MAX} bytes")
    if not name.isprintable():
        raise _invalid("fieldManager", "FieldValueInvalid", f"Invalid value: {json.dumps(name)}: should only contain printable characters")
    return name


def _invalid(field: str, reason: str, message: str) -> ApiError:
    text = f'PatchOptions.meta.k8s.io "" is invalid: {field}: {message}'
    cause = Cause(reason=reason, message=message, field=field)
    return ApiError(Answer(code=422, reason="Invalid", message=text, kind="PatchOptions", group="meta.k8s.io", causes=(cause,)))


def check_patch(request: DoorRequest, *, is_apply: bool) -> None:
    """Refuse options that this type of patch does not have. Raises ApiError (422)."""
    if is_apply and not request.value("fieldManager"):
        raise _invalid("fieldManager", "FieldValueRequired", "Required value: is required for apply patch")
    if not is_apply and request.has("force"):
        raise _invalid("force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch")


def server_side_apply(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> ApplyServerSide:
    """The command of a server-side apply. Raises ApiError."""
    document = _configuration(request, place, resource)
    return ApplyServerSide(
        document=json.dumps(document, ensure_ascii=False),
        namespace=place.namespace,
        manager=manager_of(request),
        force=request.has("force"),
        subresource=place.subresource,
    )


def _configuration(request: DoorRequest, place: ApiPath, resource: Resource) -> Json:
    try:
        text = request.body.decode()
        body = decode(text) if text.lstrip().startswith("{") else from_yaml(text)
    except ValueError as error:
        raise bad_request(f"error decoding YAML: {error}") from None
    if not isinstance(body, dict):
        raise bad_request("error decoding YAML: the body is not an object")
    for key, called in (("kind", "Kind"), ("apiVersion", "apiVersion")):
        if not body.get(key):
            raise bad_request(f"Object '{called}' is missing in '{json.dumps(body, separators=(',', ':'), ensure_ascii=False)}'")
    if (body["apiVersion"], body["kind"]) != (resource.group_version, resource.info.kind):
        sent, wanted = f"{body['apiVersion']}, Kind={body['kind']}", f"{resource.group_version}, Kind={resource.info.kind}"
        raise bad_request(f"the kind in the data ({sent}) does not match the expected kind ({wanted})")
    metadata = body.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise bad_request("the object provided has no metadata")
    if metadata.get("name", place.name) != place.name:
        raise bad_request(f"the name of the object ({metadata['name']}) does not match the name on the URL ({place.name})")
    if metadata.get("namespace", place.namespace) not in ("", place.namespace):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    named = {**metadata, "name": place.name, **({"namespace": place.namespace} if place.namespace else {})}
    return {**body, "metadata": named}


def shown_managed(request: DoorRequest, world: World, document: Json) -> Json:
    """The object with its managedFields."""
    return document if document.get("kind") in UNMANAGED else with_managed_fields(world, document)


def managed_view(request: DoorRequest) -> bool:
    """A key that is equal for requests that see the same managedFields in a list or watch."""
    return _wants_all(request)


def _wants_all(request: DoorRequest) -> bool:
    """Whether kubectl is going to print the list. 1.20 does not say which command it is running."""
    return request.command == "kubectl get" or request.agent.startswith("kubectl/v1.20.")


def listed_managed(request: DoorRequest, world: World, items: list[Json]) -> list[Json]:
    """The objects of a list or watch.

    Managed fields are worked out for every object only if kubectl gets them: informers do not read them. Objects that a
    client has written always have them, so that an object read from a list may be written back.
    """
    is_all = _wants_all(request)
    held = world.tables.managed
    return [shown_managed(request, world, item) if is_all or item["metadata"].get("uid") in held else item for item in items]
