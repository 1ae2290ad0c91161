"""What every generator needs: the metadata of a typed object, its name from the line, and the refusals in kubectl's words.

Source: k8s.io/apimachinery pkg/apis/meta/v1/types.go (the order of the keys; ``creationTimestamp`` is left out of an object that was not
created yet since 1.34), kubectl pkg/cmd/create.
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
"""kubectl whose typed objects have a moment of creation before there is one."""
_INT32_MAX = 2**31 - 1


class Generated(Struct, frozen=True, kw_only=True):
    """An object that a line makes. ``word`` is what kubectl says was done with it, ``failing`` how it begins to say that it was not."""

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

    def sent(self, namespace: str) -> Json:
        """The object as the server gets it: in a namespace, without the status that Go's types print."""
        found = _without_nulls({key: value for key, value in self.document.items() if key != "status"})
        if self.info.namespaced and not found["metadata"].get("namespace"):
            found["metadata"]["namespace"] = namespace
        return dict(found)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def metadata(sight: Sight, **fields: Any) -> Json:
    """The metadata of a typed object; ``fields`` that are empty are left out. The names are those of Go's types, in their order."""
    created: dict[str, Any] = {"creationTimestamp": None} if NULL_CREATION.holds_for(sight.minor) else {}
    head = {key: fields[key] for key in ("name", "namespace") if fields.get(key)}
    rest = {key: fields[key] for key in ("labels", "annotations", "ownerReferences") if fields.get(key)}
    return {**head, **created, **rest}


def as_typed(document: Json, sight: Sight) -> Json:
    """The document as Go's types write it: with the moment of creation that a template of pods has not."""
    spec = document.get("spec") or {}
    template = spec.get("template") or {}
    if not isinstance(template.get("metadata"), dict) or not NULL_CREATION.holds_for(sight.minor):
        return document
    return {**document, "spec": {**spec, "template": {**template, "metadata": {"creationTimestamp": None, **template["metadata"]}}}}


def object_of(kind: str, meta: Json, body: Json, sight: Sight) -> Generated:
    """The object of a kind in the version that this client sends."""
    return Generated(document={"kind": kind, "apiVersion": KINDS[kind].api_version(sight.minor), "metadata": meta, **body})


def name_of(line: Line, command: str) -> str:
    """The one name that ``create KIND`` takes. Raises BadLine."""
    if len(line.words) != 1:
        help_line = f"See 'kubectl {command} -h' for help and examples"
        raise BadLine(f"error: exactly one NAME is required, got {len(line.words)}\n{help_line}")
    return line.words[0]


def required(line: Line, *names: str) -> None:
    """Raise BadLine where one of these flags is missing."""
    missing = [f'"{name}"' for name in names if name not in line.flags]
    if missing:
        raise BadLine(f"error: required flag(s) {', '.join(missing)} not set")


def whole_flag(line: Line, name: str, otherwise: int, *, short: str = "") -> int:
    """The whole number of a flag; ``otherwise`` without it. Raises BadLine."""
    text = line.value(name)
    if name not in line.flags:
        return otherwise
    digits = text[1:] if text[:1] in ("-", "+") else text
    problem = "invalid syntax" if not (digits.isascii() and digits.isdigit()) else ""
    # Twenty digits are out of range anyway, and Python refuses to read thousands of them.
    if not problem and (len(digits) > 20 or not -_INT32_MAX - 1 <= int(text) <= _INT32_MAX):
        problem = "value out of range"
    if problem:
        flag = f"-{short}, --{name}" if short else f"--{name}"
        said = f'error: invalid argument "{text}" for "{flag}" flag: strconv.ParseInt: parsing "{text}": {problem}'
        raise BadLine(f"{said}\nSee 'kubectl {line.verb} --help' for usage.")
    return int(text)


def int_or_text(text: str) -> int | str:
    """A number or a name, as an IntOrString is read."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def container_of(name: str, image: str, **fields: Any) -> Json:
    """A container in the order of Go's type; empty fields are left out, ``resources`` never."""
    first = {key: fields[key] for key in ("command", "args", "ports", "env") if fields.get(key)}
    last = {key: fields[key] for key in ("imagePullPolicy", "securityContext") if fields.get(key)}
    return {"name": name, "image": image, **first, "resources": fields.get("resources") or {}, **last}
