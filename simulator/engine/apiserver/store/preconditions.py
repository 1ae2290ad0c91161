"""What a change of any object must agree with: the name and namespace of its URL, the object it was made from, and its version.

Source: apiserver pkg/registry/rest/update.go BeforeUpdate and endpoints/handlers/update.go; checked
against answers recorded from a 1.20 server.
"""

from msgspec import Struct

from simulator.engine.apiserver.answer import ApiError, bad_request, conflict
from simulator.engine.apiserver.validation.pod_rules import Fields, fields, text

_STORED_WINS: tuple[str, ...] = ("creationTimestamp", "deletionTimestamp", "generation", "resourceVersion")
_STORED_FILLS: tuple[str, ...] = ("namespace", "uid", "deletionGracePeriodSeconds")
# The message quotes etcd's key, and these resources keep their first names there.
_STORED_UNDER = {"nodes": "minions", "services": "services/specs", "endpoints": "services/endpoints"}


class ChangeTarget(Struct, frozen=True, kw_only=True):
    """What the request's URL refers to: ``resource`` is the plural, ``namespace`` is empty for kinds without one."""

    resource: str
    name: str
    namespace: str = ""
    group: str = ""


def before_update(old: Fields, new: Fields, target: ChangeTarget, *, is_patch: bool = False) -> Fields:
    """The new object as it goes on to validation, with what the server fills in or keeps.

    Raises ApiError: 400 when the body names another object than the URL, 409 when it was made from another object (uid) or from
    an older state (resourceVersion). A patch may not change either name; its only precondition is the resourceVersion it writes.
    """
    _check_name(fields(new, "metadata"), target)
    if not is_patch:
        _check_namespace(fields(new, "metadata"), target)
        _check_uid(fields(old, "metadata"), fields(new, "metadata"), target)
    stored, sent = fields(old, "metadata"), fields(new, "metadata")
    if text(sent, "resourceVersion") not in ("", text(stored, "resourceVersion")):
        raise conflict(target.resource, target.name, group=target.group)
    if target.namespace and text(sent, "namespace") not in ("", target.namespace):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    return {**new, "metadata": _kept(stored, sent)}


def _check_name(sent: Fields, target: ChangeTarget) -> None:
    """Check the name against the URL's, for a PUT as well as for the result of a patch (checkName)."""
    name = text(sent, "name")
    if not name:
        raise bad_request(f"the name of the object ({target.name} based on URL) was undeterminable: name must be provided")
    if name != target.name:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({target.name})")


def _check_namespace(sent: Fields, target: ChangeTarget) -> None:
    namespace = text(sent, "namespace")
    if namespace and namespace != target.namespace:
        raise bad_request(
            f"the namespace of the object ({namespace}) does not match the namespace on the request ({target.namespace})",
        )


def _check_uid(stored: Fields, sent: Fields, target: ChangeTarget) -> None:
    wanted, found = text(sent, "uid"), text(stored, "uid")
    if wanted and wanted != found:
        raise uid_conflict(target, wanted=wanted, found=found)


def uid_conflict(target: ChangeTarget, *, wanted: str, found: str) -> ApiError:
    """409: the request is meant for another object of the same name; ``found`` is the uid of the stored one."""
    place = "/".join(filter(None, (_STORED_UNDER.get(target.resource, target.resource), target.namespace, target.name)))
    why = (
        f"StorageError: invalid object, Code: 4, Key: /registry/{place}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}"
    )
    return conflict(target.resource, target.name, why, group=target.group)


def _kept(stored: Fields, sent: Fields) -> Fields:
    """The metadata sent, with what the store decides: absent parts filled in, times and generation as they were."""
    always = {key: stored[key] for key in _STORED_WINS if key in stored}
    absent = {key: stored[key] for key in _STORED_FILLS if key in stored and sent.get(key) in (None, "")}
    own = {key: value for key, value in sent.items() if key != "generation"}
    return {**own, **absent, **always}
