"""What the door answers when it does not do as it was asked: Status objects, in the words of the API server.

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
    """The Status of an answer; one that may be tried again says when in a header, too, which is what clients look at."""
    reply = json_reply(answer.document(), status=answer.code)
    if not answer.retry_after_s:
        return reply
    return DoorReply(status=answer.code, body=reply.body, headers=(("Retry-After", str(answer.retry_after_s)),))


def unknown_path() -> DoorReply:
    """The answer for a group or version that is not served: no Status, as the API server's router gives it."""
    return text_reply("404 page not found\n", status=404)


def unknown_resource() -> ApiError:
    """404: the group and version are served, the resource is not."""
    return ApiError(Answer(code=404, reason="NotFound", message="the server could not find the requested resource"))


def not_acceptable() -> ApiError:
    """406: the client reads nothing of what can be answered."""
    return ApiError(Answer(code=406, reason="NotAcceptable", message=f"only the following media types are accepted: {', '.join(_READ)}"))


def not_allowed(message: str = "the server does not allow this method on the requested resource") -> ApiError:
    """405: there is no such verb here."""
    return ApiError(Answer(code=405, reason="MethodNotAllowed", message=message))


def forbidden(message: str) -> ApiError:
    """403: the key does not allow it."""
    return ApiError(Answer(code=403, reason="Forbidden", message=message))


def conflicting(message: str) -> ApiError:
    """409: not at this moment."""
    return ApiError(Answer(code=409, reason="Conflict", message=message))


def unauthorized() -> ApiError:
    """401: the key is missing, wrong, revoked, or another run's: which of them is not said."""
    return ApiError(Answer(code=401, reason="Unauthorized", message="Unauthorized"))


def expired(message: str) -> ApiError:
    """410: what is asked for is not known any more."""
    return ApiError(Answer(code=410, reason="Expired", message=message))


def unsupported(known: Iterable[str]) -> ApiError:
    """415: the body is in another format."""
    text = ", ".join(known)
    message = f"the body of the request was in an unknown format - accepted media types include: {text}"
    return ApiError(Answer(code=415, reason="UnsupportedMediaType", message=message))
