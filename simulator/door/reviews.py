"""Reviews: objects that are created only to be answered and are never stored. They ask who the user is and what the user may do.

The key alone decides: a key that writes may do everything, like the cluster's administrator; one that only reads, or a
moment of the past, may get, list and watch. Source: kubernetes pkg/registry/authorization and
pkg/registry/authentication rest.go; api authorization/v1, authentication/v1 types.go.
"""

from collections.abc import Callable

from simulator.door.exchange import DoorReply, DoorRequest, json_reply
from simulator.door.paths import ApiPath
from simulator.door.protobuf import in_json
from simulator.door.scene import DoorScene
from simulator.door.statuses import forbidden, not_allowed, unsupported
from simulator.engine.apiserver.answer import Answer, ApiError, Cause, bad_request, not_found
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.model.named_kinds import REVIEWS
from simulator.kubectl.access import MASTERS, AccessWanted, User, may, user_of
from simulator.kubectl.tokens import HOUR_S, account_of, token_request
from simulator.kubectl.yaml import from_yaml

_READS = ("get", "list", "watch")
_SELF = ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SelfSubjectReview")
"""Reviews about the user itself, which every user may create (the ClusterRole system:basic-user)."""
_BODIES = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_AUTHORIZATION, _AUTHENTICATION = "authorization.k8s.io", "authentication.k8s.io"
REVIEW_GROUPS = frozenset((_AUTHORIZATION, _AUTHENTICATION))
REVIEW_KINDS = frozenset(item.info.kind for item in REVIEWS)


def reviewed(request: DoorRequest, place: ApiPath, kind: str, scene: DoorScene) -> DoorReply:
    """The answer to a request for a review. Raises ApiError."""
    if request.method != "POST" or place.name:
        raise not_allowed()
    document = _document(in_json(request))
    if document.get("kind") not in (None, "", kind):
        raise bad_request(f"{document['kind']} in version {document.get('apiVersion')} cannot be handled as a {kind}")
    writes = scene.may_write and not scene.is_past
    if kind not in _SELF and not writes:
        raise forbidden(f"this key may not create {kind.lower()}s: it is read-only")
    spec = document.get("spec")
    wanted = spec if isinstance(spec, dict) else {}
    other = _other(request, kind, wanted)
    status = _of_other(other, wanted, scene) if other is not None and writes else _ANSWERS[kind](wanted, writes)
    group = _AUTHENTICATION if kind in ("SelfSubjectReview", "TokenReview") else _AUTHORIZATION
    review = {"kind": kind, "apiVersion": f"{group}/v1", "metadata": document.get("metadata") or {}}
    if kind != "SelfSubjectReview":
        review["spec"] = spec or {}
    return json_reply({**review, "status": status}, status=201)


def token_reply(request: DoorRequest, place: ApiPath, scene: DoorScene) -> DoorReply:
    """The answer to a TokenRequest for a service account. Raises ApiError."""
    if request.method != "POST":
        raise not_allowed()
    if not scene.may_write or scene.is_past:
        raise forbidden("this key may not create tokens: it is read-only")
    spec = _document(in_json(request)).get("spec")
    wanted = spec if isinstance(spec, dict) else {}
    found = account_of(scene.sight, place.namespace, place.name)
    if found is None:
        raise not_found("serviceaccounts", place.name)
    audiences, seconds = wanted.get("audiences"), wanted.get("expirationSeconds")
    return json_reply(
        token_request(
            found,
            scene.sight,
            audiences=[str(item) for item in audiences] if isinstance(audiences, list) else (),
            seconds=seconds if isinstance(seconds, int) else HOUR_S,
        ),
        status=201,
    )


def _document(request: DoorRequest) -> Json:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in ("", *_BODIES):
        raise unsupported(_BODIES)
    try:
        text = request.body.decode()
        found = from_yaml(text) if content_type == "application/yaml" else decode(text or "{}")
    except ValueError:
        raise bad_request("the body of the request is not valid JSON") from None
    if not isinstance(found, dict):
        raise bad_request("the body of the request is not an object")
    return found


def _user(writes: bool) -> Json:
    if writes:
        return {"username": "kubernetes-admin", "groups": [MASTERS, "system:authenticated"]}
    return {"username": "reader", "groups": ["system:authenticated"]}


def _access(spec: Json, writes: bool) -> Json:
    """Source: pkg/registry/authorization/selfsubjectaccessreview rest.go Create; apis/authorization/validation."""
    about, url = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if (isinstance(about, dict)) == (isinstance(url, dict)):
        what = "cannot be specified in combination with resourceAttributes" if about else ""
        raise _bad_spec("nonResourceAttributes" if about else "resourceAttributes", what)
    verb = str((about or url or {}).get("verb") or "")
    return {"allowed": writes or verb in (_READS if about else ("get",))}


def _bad_spec(field: str, what: str) -> ApiError:
    path, reason = f"spec.{field}", "FieldValueInvalid"
    text = f"Invalid value: null: {what or 'exactly one of nonResourceAttributes or resourceAttributes must be specified'}"
    return ApiError(
        Answer(
            code=422,
            reason="Invalid",
            message=f'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: {path}: {text}',
            kind="SelfSubjectAccessReview",
            group=_AUTHORIZATION,
            causes=(Cause(reason=reason, message=text, field=path),),
        )
    )


def _other(request: DoorRequest, kind: str, spec: Json) -> User | None:
    """Whom a review of access is about, where that is not the key's own user: it is named in it, or impersonated by its headers."""
    if kind == "SelfSubjectAccessReview":
        name, group = request.headers.get("impersonate-user", ""), request.headers.get("impersonate-group", "")
        return user_of(name, filter(None, [group])) if name else None
    if kind not in ("SubjectAccessReview", "LocalSubjectAccessReview"):
        return None
    listed = spec.get("groups")
    groups = [str(item) for item in listed] if isinstance(listed, list) else []
    return User(str(spec.get("user") or ""), tuple(groups))


def _of_other(user: User, spec: Json, scene: DoorScene) -> Json:
    """The administrator and system:masters may do everything, others what roles allow that are bound to them."""
    is_admin = user.name == _user(writes=True)["username"]
    status = _access(spec, is_admin)  # judges the question
    about, url = spec.get("resourceAttributes"), spec.get("nonResourceAttributes") or {}
    text = {key: str(value or "") for key, value in (about or url).items()}
    if about:
        resource = "/".join(filter(None, (text.get("resource", ""), text.get("subresource", ""))))
        place = {key: text.get(key, "") for key in ("group", "name", "namespace")}
        asked_for = AccessWanted(verb=text.get("verb", ""), resource=resource, **place)
    else:
        asked_for = AccessWanted(verb=text.get("verb", ""), url=text.get("path", ""))
    return {**status, "allowed": is_admin or may(user, asked_for, scene.sight)}


def _rules(spec: Json, writes: bool) -> Json:
    if not spec.get("namespace"):
        raise bad_request("no namespace on request")
    if writes:  # the answer of an authorizer that allows everything
        everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
        return {"resourceRules": [everything], "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}], "incomplete": False}
    reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]
    rules = [
        {"verbs": list(_READS), "apiGroups": ["*"], "resources": ["*"]},
        {"verbs": ["create"], "apiGroups": [_AUTHORIZATION], "resources": reviews},
        {"verbs": ["create"], "apiGroups": [_AUTHENTICATION], "resources": ["selfsubjectreviews"]},
    ]
    return {"resourceRules": rules, "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["*"]}], "incomplete": False}


def _token(spec: Json, writes: bool) -> Json:
    """No token is ever valid: service accounts have none here."""
    return {"user": {}, "error": "[invalid bearer token, token lookup failed]"}


_ANSWERS: dict[str, Callable[[Json, bool], Json]] = {
    "SelfSubjectReview": lambda spec, writes: {"userInfo": _user(writes)},
    "TokenReview": _token,
    "SelfSubjectAccessReview": _access,
    "SelfSubjectRulesReview": _rules,
}
