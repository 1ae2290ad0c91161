"""``kubectl create configmap|secret|namespace|serviceaccount|quota|poddisruptionbudget|priorityclass``.

Source: kubectl pkg/cmd/create; k8s.io/apimachinery pkg/apis/meta/v1/helpers.go (ParseToLabelSelector).
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.quantity import canonical, parse, quantity_problem
from simulator.engine.versions.span import Span
from simulator.kubectl.generators.base import Generated, int_or_text, metadata, name_of, object_of, whole_flag
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

_UNLIKE_WORDS = str.maketrans("013ae", "ghkmt")
"""What stands for the digits and vowels of a hash, so that no bad word comes of it."""
_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_NO_REGISTRY = "error: either --from-file or the combination of --docker-username, --docker-password and --docker-server is required"
_EACH_REQUIRED = Span(until=20)
"""The kubectl versions that require each part of a registry's credentials separately; seen with 1.20 and 1.24."""
_BUDGET_AMOUNT = re.compile(r"[0-9]+%?")
_AMOUNTS_CHECKED = Span(since=21)
QUANTITY = r"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_EXPRESSION = re.compile(r"(?P<key>[^\s!=(),]+)\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)")
_TERM = re.compile(r"\s*((?:[^,()]|\([^()]*\))+?)\s*(?:,|$)")


def config_map(line: Line, sight: Sight) -> Generated:
    """``create configmap NAME --from-literal=KEY=VALUE…``. Raises BadLine."""
    name = name_of(line, "create configmap")
    data = dict(_literals(line, "ConfigMap", name))
    if line.has("append-hash"):
        name = f"{name}-{_hash({'data': data, 'kind': 'ConfigMap', 'name': name})}"
    meta = metadata(sight, name=name, namespace=line.value("namespace"))
    return object_of("ConfigMap", meta, {"data": data} if data else {}, sight)


def _hash(content: Json) -> str:
    """The ending of a name that --append-hash makes of the content (kubectl pkg/util/hash)."""
    text = json.dumps(content, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:10].translate(_UNLIKE_WORDS)


def _literals(line: Line, kind: str, name: str) -> Iterator[tuple[str, str]]:
    """The keys and values of ``--from-literal``. Raises BadLine."""
    _no_files(line)
    seen: set[str] = set()
    for literal in line.given("from-literal"):
        key, equals, value = literal.partition("=")
        if not key or not equals:
            raise BadLine(f"error: invalid literal source {literal}, expected key=value")
        if _KEY.fullmatch(key) is None or key in (".", ".."):
            raise BadLine(_bad_key(key, kind))
        if key in seen:
            said, where = (f'"{key}"', f' in Data for {kind} "{name}"') if kind == "ConfigMap" else (key, "")
            raise BadLine(f"error: cannot add key {said}, another key by that name already exists{where}")
        seen.add(key)
        yield key, value


def _bad_key(key: str, kind: str) -> str:
    rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
    examples = "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
    return f'error: "{key}" is not a valid key name for a {kind}: {rule} {examples}'


def _no_files(line: Line) -> None:
    for flag in ("from-file", "from-env-file"):
        if flag in line.flags:
            raise BadLine(f"error: there are no files here for --{flag}; --from-literal=KEY=VALUE gives a value itself")


def secret(line: Line, sight: Sight) -> Generated:
    """``create secret generic NAME …`` and ``create secret docker-registry NAME …``. Raises BadLine."""
    what, rest = line.words[0] if line.words else "", line.with_words(line.words[1:])
    if what not in ("generic", "docker-registry", "tls"):
        raise BadLine(_subcommand("create secret", what, "generic, docker-registry"))
    name = name_of(rest, f"create secret {what}")
    if what == "tls":
        _check_pair(line, sight)
        raise BadLine("error: there are no files here for --cert and --key; the editor takes a Secret with both")
    values = dict(_literals(rest, "Secret", name)) if what == "generic" else {".dockerconfigjson": _registry(rest, sight)}
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    kind = line.value("type") if what == "generic" else "kubernetes.io/dockerconfigjson"
    if line.has("append-hash"):
        name = f"{name}-{_hash({'data': data, 'kind': 'Secret', 'name': name, 'type': kind})}"
    meta = metadata(sight, name=name, namespace=line.value("namespace"))
    return object_of("Secret", meta, {**({"data": data} if data else {}), **({"type": kind} if kind else {})}, sight)


def _check_pair(line: Line, sight: Sight) -> None:
    """Raise BadLine if the certificate or its key is not named."""
    missing = next((flag for flag in ("cert", "key") if not line.value(flag)), "")
    if missing and _EACH_REQUIRED.holds_for(sight.minor):
        raise BadLine(f"error: flag {missing} is required\nSee 'kubectl create secret tls -h' for help and examples")
    if missing:
        raise BadLine("error: key and cert must be specified")


def _subcommand(command: str, what: str, known: str) -> str:
    if what:
        return f"error: unknown command \"{what}\"\nSee 'kubectl {command} -h' for help and examples"
    return f"error: a subcommand is needed: {known}\nSee 'kubectl {command} -h' for help and examples"


def _registry(line: Line, sight: Sight) -> str:
    """The text of a Docker config file."""
    user, password, mail = (line.value(f"docker-{name}") for name in ("username", "password", "email"))
    for name in ("username", "password"):
        if not line.value(f"docker-{name}"):
            old = f"error: flag docker-{name} is required\nSee 'kubectl create secret docker-registry -h' for help and examples"
            raise BadLine(old if _EACH_REQUIRED.holds_for(sight.minor) else _NO_REGISTRY)
    auth = base64.b64encode(f"{user}:{password}".encode()).decode()
    entry = {"username": user, "password": password, **({"email": mail} if mail else {}), "auth": auth}
    server = line.value("docker-server") or "https://index.docker.io/v1/"
    return json.dumps({"auths": {server: entry}}, separators=(",", ":"), ensure_ascii=False)


def namespace(line: Line, sight: Sight) -> Generated:
    """``create namespace NAME``. Raises BadLine."""
    return object_of("Namespace", metadata(sight, name=name_of(line, "create namespace")), {"spec": {}, "status": {}}, sight)


def service_account(line: Line, sight: Sight) -> Generated:
    """``create serviceaccount NAME``. Raises BadLine."""
    name = name_of(line, "create serviceaccount")
    return object_of("ServiceAccount", metadata(sight, name=name, namespace=line.value("namespace")), {}, sight)


def quota(line: Line, sight: Sight) -> Generated:
    """``create quota NAME --hard=RESOURCE=AMOUNT,… --scopes=SCOPE,…``. Raises BadLine."""
    name, spec = name_of(line, "create quota"), {}
    hard = dict(amount_of(item) for item in line.value("hard").split(",") if line.value("hard"))
    if hard:
        spec["hard"] = dict(sorted(hard.items()))
    if line.value("scopes"):
        spec["scopes"] = line.value("scopes").split(",")  # type: ignore[assignment]
    meta = metadata(sight, name=name, namespace=line.value("namespace"))
    return object_of("ResourceQuota", meta, {"spec": spec, "status": {}}, sight)


def amount_of(text: str) -> tuple[str, str]:
    """The name and the canonical quantity of ``RESOURCE=AMOUNT``. Raises BadLine."""
    parts = text.split("=")
    if len(parts) != 2:
        raise BadLine(f"error: Invalid argument syntax {text}, expected <resource>=<value>")
    if quantity_problem(parts[1]):
        raise BadLine(f"error: {QUANTITY}")
    return parts[0], canonical(parse(parts[1]))


def budget(line: Line, sight: Sight) -> Generated:
    """``create poddisruptionbudget NAME --selector=SELECTOR --min-available=N``. Raises BadLine."""
    name = name_of(line, "create poddisruptionbudget")
    least, most = line.value("min-available"), line.value("max-unavailable")
    if not line.value("selector"):
        raise BadLine("error: a selector must be specified")
    if not least and not most:
        raise BadLine("error: one of min-available or max-unavailable must be specified")
    if least and most:
        raise BadLine("error: min-available and max-unavailable cannot be both specified")
    for flag in ("min-available", "max-unavailable"):
        if line.value(flag) and _AMOUNTS_CHECKED.holds_for(sight.minor) and _BUDGET_AMOUNT.fullmatch(line.value(flag)) is None:
            raise BadLine(f"error: invalid format specified for {flag}")
    amount = {"minAvailable": int_or_text(least)} if least else {}
    other = {"maxUnavailable": int_or_text(most)} if most else {}
    status = dict.fromkeys(("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"), 0)
    body = {"spec": {**amount, "selector": label_selector(line.value("selector")), **other}, "status": status}
    return object_of("PodDisruptionBudget", metadata(sight, name=name, namespace=line.value("namespace")), body, sight)


def label_selector(text: str) -> Json:
    """The LabelSelector for a selector in the syntax of ``-l``. Raises BadLine."""
    equal: dict[str, str] = {}
    others: list[dict[str, Any]] = []
    for term in (found[1] for found in _TERM.finditer(text)):
        expression = _EXPRESSION.fullmatch(term)
        key, _, value = term.partition("=")
        if expression is not None:
            values = sorted({item.strip() for item in expression["values"].split(",")})
            others.append({"key": expression["key"], "operator": "In" if expression["op"] == "in" else "NotIn", "values": values})
        elif "!=" in term:
            raise BadLine('error: "!=" is not a valid label selector operator')
        elif "=" in term:
            equal[key.strip()] = value.lstrip("=").strip()
        else:
            others.append({"key": term.removeprefix("!").strip(), "operator": "DoesNotExist" if term.startswith("!") else "Exists"})
    found: Json = {"matchLabels": equal} if equal else {}
    return {**found, "matchExpressions": sorted(others, key=lambda item: item["key"])} if others else found


def priority_class(line: Line, sight: Sight) -> Generated:
    """``create priorityclass NAME --value=N``. Raises BadLine."""
    value = whole_flag(line, "value", 0)
    name = name_of(line, "create priorityclass")
    described = {"description": line.value("description")} if line.value("description") else {}
    body = {
        "value": value,
        **({"globalDefault": True} if line.has("global-default") else {}),
        **described,
        "preemptionPolicy": line.value("preemption-policy") or "PreemptLowerPriority",
    }
    return object_of("PriorityClass", metadata(sight, name=name), body, sight)
