"""How one recorded answer of an API server compares with ours: code, reason, causes and the exact text."""

import re

from msgspec import Struct

from simulator.engine.apiserver.answer import Answer
from simulator.engine.kernel.json_text import Json

_RANDOM = re.compile(r"(default-token|kube-api-access)-[a-z0-9]{5}\b")
_ADDRESS = re.compile(r"\b0xc[0-9a-f]{6,}\b")
_UID = re.compile(r"(UID in object meta: )[0-9a-f-]{36}")


class ApiOutcome(Struct, frozen=True, kw_only=True):
    """The result for one recorded case; ``got`` is our message, for a reader."""

    case: str
    is_rejection: bool
    code: bool
    reason: bool
    causes: bool
    message: bool
    got: str = ""

    @property
    def agrees(self) -> bool:
        """Whether code, reason and causes match the recording; the text may differ."""
        return self.code and self.reason and self.causes


def compare(recorded: Json, answer: Answer | None, *, code: int) -> ApiOutcome:
    """Compare our answer (None: accepted with ``code``) with the recorded one. Names that the server generates are masked."""
    name = str(recorded["case"])
    if answer is None:
        same_code = recorded["code"] == code
        return ApiOutcome(
            case=name, is_rejection=recorded["code"] >= 400, code=same_code, reason=same_code, causes=same_code, message=same_code
        )
    return ApiOutcome(
        case=name,
        is_rejection=recorded["code"] >= 400,
        code=recorded["code"] == answer.code,
        reason=(recorded.get("reason") or "") == answer.reason,
        causes=_recorded_causes(recorded) == {(cause.reason, cause.field) for cause in answer.causes},
        message=masked(recorded.get("message") or "") == masked(answer.message),
        got=answer.message,
    )


def masked(text: str) -> str:
    """The text with random names, uids and memory addresses of the recorded cluster replaced."""
    return _ADDRESS.sub("0xc000000000", _UID.sub(r"\1UID", _RANDOM.sub(r"\1-xxxxx", text)))


def _recorded_causes(recorded: Json) -> set[tuple[str, str]]:
    return {(cause.get("reason", ""), cause.get("field", "")) for cause in recorded.get("causes") or ()}
