"""What every generator needs: the metadata of a typed object, its name from the line, and kubectl's error messages.

Source: k8s.io/apimachinery pkg/apis/meta/v1/types.go (key order; since 1.34 ``creationTimestamp`` is omitted from
objects that do not exist yet), kubectl pkg/cmd/create.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS, KindInfo
from simulator.engine.model.named_kinds import NAMED_BY_KIND
from simulator.engine.versions.span import Span
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

NULL_CREATION = Span(until=33)
"""The kubectl versions that print a null ``creationTimestamp`` for an object that does not exist yet."""
_INT32_MAX = 2**31 - 1


class Generated(Struct, frozen=True, kw_only=True):
    """A generated object. ``word`` is the verb kubectl prints for it, ``failing`` the prefix of the error if the server refuses it."""

    document: Json
    word: str = "created"
    failing: str = ""

    @property
    def info(self) -> KindInfo:
        """Its kind."""
        kind = str(self.document["kind"])
        return KINDS.get(kind) or NAMED_BY_KIND[kind]

    @property
    def full_name(self) -> str:
        """As kubectl prints it: ``deployment.apps/web``."""
        group = f".{self.info.group}" if self.info.group else ""
        return f"{self.info.singular}{group}/{self.document['metadata']['name']}"

    def sent(self, namespace: str, *, in_order: bool = False) -> Json:
        """The object as the server receives it: with a namespace, and without the status that Go's types print.

        ``in_order`` puts the namespace after the name, where it is if the line names it.
        """
        found = _without_nulls({key: value for key, value in self.document.items() if key != "status"})
        if self.info.namespaced and not found["metadata"].get("namespace"):
            meta = found["metadata"]
            found["metadata"] = {"name": meta["name"], "namespace": namespace, **meta} if in_order else {**meta, "namespace": namespace}
        return dict(found)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def metadata(sight: Sight, **fields: Any) -> Json:
    """The metadata of a typed object, in the order of Go's types; empty ``fields`` are left out."""
    created: dict[str, Any] = {"creationTimestamp": None} if NULL_CREATION.holds_for(sight.minor) else {}
    head = {key: fields[key] for key in ("name", "namespace") if fields.get(key)}
    rest = {key: fields[key] for key in ("labels", "annotations", "ownerReferences") if fields.get(key)}
    return {**head, **created, **rest}


def as_typed(document: Json, sight: Sight) -> Json:
    """The document as Go's types write it: with the null creation timestamp of a pod template."""
    spec = document.get("spec") or {}
    template = spec.get("template") or {}
    if not isinstance(template.get("metadata"), dict) or not NULL_CREATION.holds_for(sight.minor):
        return document
    return {**document, "spec": {**spec, "template": {**template, "metadata": {"creationTimestamp": None, **template["metadata"]}}}}


def object_of(kind: str, meta: Json, body: Json, sight: Sight) -> Generated:
    """The object of a kind in the API version that this client sends."""
    return Generated(document={"kind": kind, "apiVersion": KINDS[kind].api_version(sight.minor), "metadata": meta, **body})


def name_of(line: Line, command: str) -> str:
    """The single name that ``create KIND`` takes. Raises BadLine."""
    if len(line.words) != 1:
        help_line = f"See 'kubectl {command} -h' for help and examples"
        raise BadLine(f"error: exactly one NAME is required, got {len(line.words)}\n{help_line}")
    return line.words[0]


def required(line: Line, *names: str) -> None:
    """Raise BadLine if one of these flags is missing."""
    missing = [f'"{name}"' for name in names if name not in line.flags]
    if missing:
        raise BadLine(f"error: required flag(s) {', '.join(missing)} not set")


def whole_flag(line: Line, name: str, otherwise: int, *, short: str = "") -> int:
    """The whole number of a flag, or ``otherwise`` if it is not given. Raises BadLine."""
    text = line.value(name)
    if name not in line.flags:
        return otherwise
    digits = text[1:] if text[:1] in ("-", "+") else text
    problem = "invalid syntax" if not (digits.isascii() and digits.isdigit()) else ""
    # More than twenty digits are out of range anyway, and Python refuses to parse thousands of them.
    if not problem and (len(digits) > 20 or not -_INT32_MAX - 1 <= int(text) <= _INT32_MAX):
        problem = "value out of range"
    if problem:
        flag = f"-{short}, --{name}" if short else f"--{name}"
        said = f'error: invalid argument "{text}" for "{flag}" flag: strconv.ParseInt: parsing "{text}": {problem}'
        raise BadLine(f"{said}\nSee 'kubectl {line.verb} --help' for usage.")
    return int(text)


def int_or_text(text: str) -> int | str:
    """A number or a name, the way an IntOrString is read."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def container_of(name: str, image: str, **fields: Any) -> Json:
    """A container with its keys in the order of Go's type; empty fields are left out, except ``resources``."""
    first = {key: fields[key] for key in ("command", "args", "ports", "env") if fields.get(key)}
    last = {key: fields[key] for key in ("imagePullPolicy", "securityContext", "stdin", "stdinOnce", "tty") if fields.get(key)}
    return {"name": name, "image": image, **first, "resources": fields.get("resources") or {}, **last}
