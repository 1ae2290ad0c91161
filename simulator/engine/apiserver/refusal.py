"""Shared parts of carrying out commands: refusals, and finding what a command refers to."""

import json
from collections.abc import Callable

from simulator.engine.apiserver.answer import ApiError, not_found, shortened
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText("COMMAND-NO-POD", gettext_noop("There is no pod with that name at this moment."), "a command of the run"),
    RuleText("COMMAND-NO-NODE", gettext_noop("There is no node with that name."), "a command of the run"),
    RuleText("COMMAND-NOT-RUNNING", gettext_noop("The container is not running at this moment."), "a command of the run"),
    RuleText(
        "COMMAND-EXISTS", gettext_noop("An object with that name already exists."), "apiserver registry/generic/registry/store.go Create"
    ),
    RuleText(
        "COMMAND-BAD-OBJECT",
        gettext_noop("The API server rejects this object: {message}"),
        "apiserver pkg/registry/rest/create.go BeforeCreate",
    ),
    RuleText("COMMAND-BAD-VALUE", gettext_noop("The command’s value is out of range: {message}"), "a command of the run"),
    RuleText("COMMAND-ALREADY", gettext_noop("That is already the case: {message}"), "a command of the run"),
    RuleText(
        "COMMAND-REJECTED",
        gettext_noop("The API server rejects the change: {message}"),
        "a command of the run",
    ),
    RuleText(
        "API-NOT-FOUND",
        gettext_noop("The API server has no such object at this moment: {message}"),
        "apimachinery pkg/api/errors/errors.go NewNotFound",
    ),
    RuleText(
        "API-CONFLICT",
        gettext_noop("The API server rejects the request because the object is not in the state the request requires: {message}"),
        "apimachinery pkg/api/errors/errors.go NewConflict",
    ),
)

Doing = Callable[[], None]
"""What an accepted command does; called after its record is written."""


class Refusal(Exception):
    """A command that cannot be carried out: the rule that explains why, and data for its sentence."""

    def __init__(self, rule: str, data: Data = ()) -> None:
        super().__init__(rule)
        self.rule = rule
        self.data = data


def bad_value(message: str) -> Refusal:
    """The refusal of a command whose value makes no sense."""
    return Refusal("COMMAND-BAD-VALUE", (("message", message),))


def already(message: str) -> Refusal:
    """The refusal of a command that asks for something that is already the case."""
    return Refusal("COMMAND-ALREADY", (("message", message),))


_RULES = {"NotFound": "API-NOT-FOUND", "AlreadyExists": "COMMAND-EXISTS", "Conflict": "API-CONFLICT"}


def refusal_of(error: ApiError, rule: str = "") -> Refusal:
    """The refusal of a command whose request the API server refused, with the parts of its Status in the record's data."""
    answer = shortened(error.answer)
    data: Data = (("code", answer.code), ("reason", answer.reason), ("message", answer.message))
    if answer.causes:
        causes = answer.document()["details"]["causes"]
        data = (*data, ("causes", json.dumps(causes, ensure_ascii=False)))
    if answer.retry_after_s:
        data = (*data, ("retry_after_s", answer.retry_after_s))
    usual = "COMMAND-NO-POD" if answer.reason == "NotFound" and answer.kind == "pods" else _RULES.get(answer.reason, "COMMAND-REJECTED")
    return Refusal(rule or usual, data)


def live_pod(fx: Effects, key: Key) -> PodRow:
    """The pod that a key refers to now: that very pod, or the one that took over its name. Raises Refusal."""
    row = fx.tables.pods.get(key)
    # A plain name means the pod of that name now; a key with "#" means that very pod.
    if (row is None or row.gone_ms is not None) and "#" not in key:
        namespace, _, name = key.partition("/")
        row = fx.world.live_pod(namespace, name)
    if row is None or row.gone_ms is not None:
        raise refusal_of(not_found("pods", key.rpartition("/")[2].partition("#")[0]))
    return row


def check_node(fx: Effects, node: str) -> None:
    """Refuse a command about a node that does not exist, or whose object is gone. Raises Refusal."""
    row = fx.tables.nodes.get(node)
    if row is None or row.is_deleted:
        raise Refusal("COMMAND-NO-NODE")
