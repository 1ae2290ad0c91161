"""What the API server answers when it refuses a request: the official Status object, and the text kubectl prints for it.

Source: apimachinery pkg/api/errors/errors.go and pkg/util/validation/field/errors.go (ToAggregate
prints equal texts once).
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.validation.errors import FieldError

WORDS_MAX = 10_000
"""Characters of a message that are kept."""
CAUSES_MAX = 100
STALE = "the object has been modified; please apply your changes to the latest version and try again"


class Cause(Struct, frozen=True, kw_only=True):
    """One cause of a rejection; ``field`` is a path such as ``spec.containers[0].image``."""

    reason: str
    message: str
    field: str = ""


class Answer(Struct, frozen=True, kw_only=True):
    """A Status of failure. ``kind`` and ``group`` go into its details: a Kind for Invalid, a plural resource otherwise."""

    code: int
    reason: str
    message: str
    kind: str = ""
    group: str = ""
    name: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_s: int = 0

    def document(self) -> dict[str, Any]:
        """The Status body as JSON values."""
        details: dict[str, Any] = {key: value for key, value in (("name", self.name), ("group", self.group), ("kind", self.kind)) if value}
        if self.causes:
            details["causes"] = [
                {"reason": cause.reason, "message": cause.message, **({"field": cause.field} if cause.field else {})}
                for cause in self.causes
            ]
        if self.retry_after_s:
            details["retryAfterSeconds"] = self.retry_after_s
        body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message, "reason": self.reason}
        return {**body, **({"details": details} if details else {}), "code": self.code}

    @property
    def kubectl(self) -> str:
        """What kubectl writes to stderr: the causes of an invalid object, one per line and each once, or the error with its reason."""
        # kubectl builds this text from the causes, not from the message of the Status.
        if self.reason == "Invalid" and self.causes:
            texts = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in self.causes))
            listed = texts[0] if len(texts) == 1 else "".join(f"\n* {text}" for text in texts)
            named = f'The {self.kind} "{self.name}" is invalid' if self.kind or self.name else "The request is invalid"
            return f"{named}: {listed}"
        # A 500 without a reason has no brackets.
        return f"Error from server ({self.reason}): {self.message}" if self.reason else f"Error from server: {self.message}"


def shortened(answer: Answer) -> Answer:
    """The answer as it is kept: its texts quote values, and a value or a list of causes can be as long as a manifest."""
    causes = (replace(cause, message=_cut(cause.message)) for cause in answer.causes[:CAUSES_MAX])
    return replace(answer, message=_cut(answer.message), causes=tuple(causes))


def _cut(text: str) -> str:
    return text if len(text) <= WORDS_MAX else f"{text[: WORDS_MAX - 1]}…"


class ApiError(Exception):
    """A request that the API server refuses; ``answer`` is the Status it sends."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message)
        self.answer = answer


def invalid_object(kind: str, name: str, errors: Iterable[FieldError], *, group: str = "") -> ApiError:
    """422: the object breaks rules; ``errors`` in the order of the causes, at least one."""
    causes = tuple(Cause(reason=error.reason, message=error.message, field=error.field) for error in errors)
    # Equal texts are printed once, but the list of causes keeps both (ToAggregate).
    texts = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in causes))
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    shown = f"{kind}.{group}" if group else kind
    message = f'{shown} "{name}" is invalid: {listed}'
    return ApiError(Answer(code=422, reason="Invalid", message=message, kind=kind, group=group, name=name, causes=causes))


def bad_request(message: str) -> ApiError:
    """400: the request cannot be read."""
    return ApiError(Answer(code=400, reason="BadRequest", message=message))


def not_found(resource: str, name: str, *, group: str = "") -> ApiError:
    """404: no object of that name; ``resource`` is the plural."""
    message = f'{_qualified(resource, group)} "{name}" not found'
    return ApiError(Answer(code=404, reason="NotFound", message=message, kind=resource, group=group, name=name))


def already_exists(resource: str, name: str, *, group: str = "", prefix: str = "") -> ApiError:
    """409: the name is taken; ``prefix`` describes the object that has it."""
    message = f'{prefix}{_qualified(resource, group)} "{name}" already exists'
    return ApiError(Answer(code=409, reason="AlreadyExists", message=message, kind=resource, group=group, name=name))


def conflict(resource: str, name: str, why: str = STALE, *, group: str = "") -> ApiError:
    """409: a precondition does not hold."""
    message = f'Operation cannot be fulfilled on {_qualified(resource, group)} "{name}": {why}'
    return ApiError(Answer(code=409, reason="Conflict", message=message, kind=resource, group=group, name=name))


def forbidden_object(resource: str, name: str, why: str, *, group: str = "", causes: tuple[Cause, ...] = ()) -> ApiError:
    """403: admission rejects the request."""
    message = f'{_qualified(resource, group)} "{name}" is forbidden: {why}'
    return ApiError(Answer(code=403, reason="Forbidden", message=message, kind=resource, group=group, name=name, causes=causes))


def too_many_requests(message: str, *, causes: tuple[Cause, ...] = (), retry_after_s: int = 0) -> ApiError:
    """429: an eviction that a budget does not allow now."""
    return ApiError(Answer(code=429, reason="TooManyRequests", message=message, causes=causes, retry_after_s=retry_after_s))


def _qualified(resource: str, group: str) -> str:
    return f"{resource}.{group}" if group else resource
