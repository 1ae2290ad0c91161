"""Error answers: Status objects with the API server's messages.

Source: apimachinery pkg/api/errors/errors.go; apiserver pkg/endpoints/handlers/negotiation/errors.go.
"""

from collections.abc import Iterable

from simulator.door.exchange import DoorReply, json_reply, text_reply
from simulator.engine.apiserver.answer import Answer, ApiError

_READ = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")


def status_reply(error: ApiError) -> DoorReply:
    """The Status of a refusal."""
    return answer_reply(error.answer)


def answer_reply(answer: Answer) -> DoorReply:
    """The Status of an answer; if it may be retried, with a Retry-After header, which is what clients look at."""
    reply = json_reply(answer.document(), status=answer.code)
    if not answer.retry_after_s:
        return reply
    return DoorReply(status=answer.code, body=reply.body, headers=(("Retry-After", str(answer.retry_after_s)),))


def unknown_path() -> DoorReply:
    """404 for a group or version that is not served: plain text, as the API server's router sends it."""
    return text_reply("404 page not found\n", status=404)


def unknown_resource() -> ApiError:
    """404: the group and version are served, but the resource does not exist."""
    return ApiError(Answer(code=404, reason="NotFound", message="the server could not find the requested resource"))


def not_acceptable() -> ApiError:
    """406: the client accepts none of the available media types."""
    return ApiError(Answer(code=406, reason="NotAcceptable", message=f"only the following media types are accepted: {', '.join(_READ)}"))


def not_allowed(message: str = "the server does not allow this method on the requested resource") -> ApiError:
    """405: the verb is not supported here."""
    return ApiError(Answer(code=405, reason="MethodNotAllowed", message=message))


def forbidden(message: str) -> ApiError:
    """403: the key does not allow it."""
    return ApiError(Answer(code=403, reason="Forbidden", message=message))


def conflicting(message: str) -> ApiError:
    """409: not possible at this moment."""
    return ApiError(Answer(code=409, reason="Conflict", message=message))


def unauthorized() -> ApiError:
    """401: the key is missing, wrong, revoked or another run's; the answer does not say which."""
    return ApiError(Answer(code=401, reason="Unauthorized", message="Unauthorized"))


def expired(message: str) -> ApiError:
    """410: what is asked for is no longer available."""
    return ApiError(Answer(code=410, reason="Expired", message=message))


def unsupported(known: Iterable[str]) -> ApiError:
    """415: the body is in an unsupported format."""
    text = ", ".join(known)
    message = f"the body of the request was in an unknown format - accepted media types include: {text}"
    return ApiError(Answer(code=415, reason="UnsupportedMediaType", message=message))
