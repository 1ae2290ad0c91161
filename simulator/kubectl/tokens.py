"""Service account tokens as ``kubectl create token`` and the API issue them: they look real, but grant no access.

Source: kubernetes pkg/serviceaccount/claims.go; pkg/registry/core/serviceaccount/storage/token.go; api
authentication/v1 types.go.
"""

import base64
import hashlib
from collections.abc import Sequence

from simulator.engine.apiserver.answer import Answer, ApiError, Cause
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND
from simulator.engine.model.kinds import KINDS
from simulator.kubectl.find import documents_of
from simulator.kubectl.output.texts import json_text
from simulator.kubectl.tables.model import Sight

AUDIENCE = "https://kubernetes.default.svc.cluster.local"
HOUR_S, LEAST_S, MOST_S = 3600, 600, 1 << 32


def account_of(sight: Sight, namespace: str, name: str) -> Json | None:
    """The service account with that name, as the API shows it; None if there is none."""
    accounts = documents_of(KINDS["ServiceAccount"], sight)
    return next((item for item in accounts if (item["metadata"]["namespace"], item["metadata"]["name"]) == (namespace, name)), None)


def token_request(account: Json, sight: Sight, *, audiences: Sequence[str] = (), seconds: int = HOUR_S) -> Json:
    """The TokenRequest with its token. Raises ApiError (422) for a lifetime that is too short or too long."""
    if not LEAST_S <= seconds <= MOST_S:
        bound = "less than 10 minutes" if seconds < LEAST_S else "larger than 2^32 seconds"
        raise _refused(account["metadata"]["name"], f"may not specify a duration {bound}")
    metadata = {"name": account["metadata"]["name"], "namespace": account["metadata"]["namespace"]}
    now_s = sight.epoch_now_ms // SECOND
    wanted = list(audiences) or [AUDIENCE]
    return {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {**metadata, "creationTimestamp": timestamp(sight.now_ms, sight.world.header.epoch_s)},
        "spec": {"audiences": wanted, "expirationSeconds": seconds, "boundObjectRef": None},
        "status": {
            "token": _token(account, wanted, now_s, now_s + seconds),
            "expirationTimestamp": timestamp(sight.now_ms + seconds * SECOND, sight.world.header.epoch_s),
        },
    }


def _refused(name: str, why: str) -> ApiError:
    field, text = "spec.expirationSeconds", f"Invalid value: {why}"
    message = f'TokenRequest.authentication.k8s.io "{name}" is invalid: {field}: {text}'
    cause = Cause(reason="FieldValueInvalid", message=text, field=field)
    return ApiError(
        Answer(code=422, reason="Invalid", message=message, kind="TokenRequest", group="authentication.k8s.io", name=name, causes=(cause,))
    )


def _token(account: Json, audiences: Sequence[str], now_s: int, until_s: int) -> str:
    """The three parts of a JWT. The last one is a hash and not a signature, because there is no signing key."""
    metadata = account["metadata"]
    named = {"namespace": metadata["namespace"], "serviceaccount": {"name": metadata["name"], "uid": metadata.get("uid", "")}}
    claims = {
        "aud": list(audiences),
        "exp": until_s,
        "iat": now_s,
        "iss": AUDIENCE,
        "kubernetes.io": named,
        "nbf": now_s,
        "sub": f"system:serviceaccount:{metadata['namespace']}:{metadata['name']}",
    }
    kid = _part(hashlib.sha256(AUDIENCE.encode()).digest())
    head = [_part(json_text(part, indent=None).encode()) for part in ({"alg": "RS256", "kid": kid}, claims)]
    seal = b"".join(hashlib.sha256(f"{n}{'.'.join(head)}".encode()).digest() for n in range(8))
    return ".".join([*head, _part(seal)])


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
