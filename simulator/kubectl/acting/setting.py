"""``kubectl set``: image, env, resources, serviceaccount, selector and subject.

Source: kubectl pkg/cmd/set (set_image.go, set_env.go, set_resources.go, set_serviceaccount.go, set_selector.go,
set_subject.go), pkg/cmd/set/env. A change that would have no effect is not sent, and kubectl prints nothing about it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.set_image import SetPodImage
from simulator.engine.acts.workloads.image import ROLLED, SetWorkloadImage
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.quantity import quantity_problem
from simulator.engine.versions.span import Span
from simulator.kubectl.acting.action import KubectlAction, Step, Target, made, targets
from simulator.kubectl.acting.objects import WARNINGS_NAMED
from simulator.kubectl.generators.access import subjects_of
from simulator.kubectl.generators.stored import QUANTITY, label_selector
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight, at

_RENAMED_REPORTED = Span(since=27)
"""The kubectl versions that report a key that is not a valid variable name; seen with 1.24 and 1.27."""
_SMALL_LETTER = Span(since=34)
"""The kubectl versions that begin an error about an amount with a small letter; seen with 1.33 and 1.37."""
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_]")
_NO_RESOURCES = "error: one or more resources must be specified as <resource> <name> or <resource>/<name>"
_BOUND = ("RoleBinding", "ClusterRoleBinding")


def set_part(line: Line, sight: Sight) -> KubectlAction:
    """A line of ``kubectl set``. Raises BadLine."""
    word = line.words[0] if line.words else ""
    if word not in _PARTS:
        known = "image, env, resources, serviceaccount, selector and subject"
        unknown = f"error: unknown command \"{word}\"\nSee 'kubectl set -h' for help and examples"
        raise BadLine(unknown if word else f"error: a subcommand is needed: {known}")
    return _PARTS[word](line.with_words(line.words[1:]), sight)


def _split(words: Iterable[str], what: str) -> tuple[list[str], list[str]]:
    """The words that name objects, and the changes that follow them (cmdutil.GetResourcesAndPairs). Raises BadLine."""
    every = list(words)
    changes = [word for word in every if ("=" in word and not word.startswith("=")) or (word.endswith("-") and word != "-")]
    first = next((place for place, word in enumerate(every) if word in changes), len(every))
    if any(word not in changes for word in every[first:]):
        raise BadLine(f"error: all resources must be specified before {what} changes: {' '.join(every)}")
    return every[:first], changes


def _set_image(line: Line, sight: Sight) -> KubectlAction:
    words, changes = _split(line.words, "image")
    wanted = dict(word.split("=", 1) for word in changes if "=" in word)
    found, missing = targets(line, sight, words, every=line.has("all"))
    if not wanted:
        raise BadLine("error: at least one image update is required")
    steps, errors = [], list(missing)
    for item in found:
        path, lists = containers_of(item)
        held = {entry["name"] for entries in lists.values() for entry in entries}
        unknown = [name for name in wanted if name not in held and name != "*"]
        errors += [f'error: unable to find container named "{name}"' for name in unknown]
        changed = {place: list(_with_image(entries, wanted)) for place, entries in lists.items()}
        body = _within({place: entries for place, entries in changed.items() if entries}, path)
        if any(changed.values()):
            command = _giving_image(item, sight, body, {name: image for name, image in wanted.items() if name not in unknown})
            failing = "failed to patch image update to pod template: "
            steps.append(Step(command=command, done=f"{item.full_name} image updated", unchanged="", failing=failing))
    return made(steps, errors)


def _with_image(entries: Iterable[Json], wanted: dict[str, str]) -> Iterator[Json]:
    for entry in entries:
        image = wanted.get(entry["name"], wanted.get("*"))
        if image is not None:
            yield {"name": entry["name"], "image": image}


def _giving_image(item: Target, sight: Sight, body: Json, wanted: dict[str, str]) -> AnyCommand:
    """The same act as the button for a single container; for anything else, the patch that kubectl sends."""
    if len(wanted) != 1 or item.info.kind not in ("Pod", *ROLLED):
        return _patching(item, sight, body)
    ((container, image),) = wanted.items()
    if item.info.kind != "Pod":
        return SetWorkloadImage(kind=item.info.kind, namespace=item.namespace, name=item.name, container=container, image=image)
    return SetPodImage(target=item.pod(sight).key, container=container, image=image)


def _set_env(line: Line, sight: Sight) -> KubectlAction:
    words, changes = _split((*line.words, *line.command), "environment")
    if not words:
        raise BadLine(_NO_RESOURCES)
    found, missing = targets(line, sight, words, every=line.has("all"))
    given, said = _variables([*changes, *line.given("env")], line, sight)
    steps, errors = [], list(missing)
    for item in found:
        path, lists = containers_of(item)
        picked = {place: [entry for entry in entries if _is_picked(entry, line)] for place, entries in lists.items()}
        if not any(picked.values()):
            start = "W" if WARNINGS_NAMED.holds_for(sight.minor) else "w"
            said.append(f'{start}arning: {item.info.kind}/{item.name} does not have any containers matching "{line.value("containers")}"')
            continue
        if any(_changes(entry.get("env") or (), given) for entries in picked.values() for entry in entries):
            body = {place: [{"name": entry["name"], "env": given} for entry in entries] for place, entries in picked.items() if entries}
            failing = "failed to patch env update to pod template: "
            command = _patching(item, sight, _within(body, path))
            steps.append(Step(command=command, done=f"{item.full_name} env updated", failing=failing))
    return made(steps, errors, said=said, nothing="")


def _is_picked(entry: Json, line: Line) -> bool:
    return line.value("containers") in ("", "*", entry["name"])


def _variables(changes: Iterable[str], line: Line, sight: Sight) -> tuple[list[Json], list[str]]:
    """The variables as a strategic merge patch has them, and the messages about those taken from --from. Raises BadLine."""
    given = [_variable(word) for word in changes]
    if not line.value("from"):
        return given, []
    sources, missing = targets(line, sight, [line.value("from")])
    if missing:
        raise BadLine(missing[0])
    said = []
    for source in sources:
        if source.info.kind not in ("ConfigMap", "Secret"):
            raise BadLine("error: unsupported resource specified in --from")
        reference = "configMapKeyRef" if source.info.kind == "ConfigMap" else "secretKeyRef"
        for key in sorted(source.document.get("data") or {}):
            if line.value("keys") and key not in line.value("keys").split(","):
                continue
            name = _NOT_IN_NAMES.sub("_", key).upper()
            said += [f"Warning: key {key} transferred to {name}"] if name != key and _RENAMED_REPORTED.holds_for(sight.minor) else []
            given.append({"name": name, "valueFrom": {reference: {"name": source.name, "key": key}}})
    prefix = line.value("prefix")
    return [{**each, "name": f"{prefix}{each['name']}"} for each in given], said


def _variable(word: str) -> Json:
    """A variable to set or to remove, as a strategic merge patch has it."""
    name, equals, value = word.partition("=")
    return {"name": name, "value": value} if equals else {"name": word.removesuffix("-"), "$patch": "delete"}


def _changes(held: Iterable[Json], given: Iterable[Json]) -> bool:
    """Whether the patch would change a container's variables."""
    here = {each["name"]: each for each in held}
    return any(each["name"] in here if "$patch" in each else here.get(each["name"]) != each for each in given)


def _set_resources(line: Line, sight: Sight) -> KubectlAction:
    given = {flag: dict(_amounts(line.value(flag), sight)) for flag in ("limits", "requests") if line.value(flag)}
    if not given:
        raise BadLine("error: you must specify an update to requests or limits (in the form of --requests/--limits)")
    if any(quantity_problem(amount) for amounts in given.values() for amount in amounts.values()):
        raise BadLine(f"error: {QUANTITY}")
    found, missing = targets(line, sight, every=line.has("all"))
    steps, errors = [], list(missing)
    for item in found:
        path, lists = containers_of(item)
        picked = [entry["name"] for entry in lists["containers"] if _is_picked(entry, line)]
        if not picked:
            errors.append(f"error: unable to find container named {line.value('containers')}")
            continue
        body = _within({"containers": [{"name": name, "resources": given} for name in picked]}, path)
        failing = "failed to patch resources update to pod template "
        done = f"{item.full_name} resource requirements updated"
        steps.append(Step(command=_patching(item, sight, body), done=done, failing=failing))
    return made(steps, errors)


def _amounts(text: str, sight: Sight) -> Iterator[tuple[str, str]]:
    for pair in text.split(","):
        name, equals, amount = pair.partition("=")
        if not equals or "=" in amount:
            start = "i" if _SMALL_LETTER.holds_for(sight.minor) else "I"
            raise BadLine(f"error: {start}nvalid argument syntax {pair}, expected <resource>=<value>")
        yield name, amount


def _set_account(line: Line, sight: Sight) -> KubectlAction:
    if not line.words:
        raise BadLine("error: serviceaccount is required")
    *words, name = line.words
    found, missing = targets(line, sight, words, every=line.has("all"))
    steps = (
        Step(
            command=_patching(item, sight, _within({"serviceAccountName": name}, containers_of(item)[0])),
            done=f"{item.full_name} serviceaccount updated",
        )
        for item in found
    )
    return made(steps, missing)


def _set_selector(line: Line, sight: Sight) -> KubectlAction:
    *words, text = line.words or ("",)
    found, missing = targets(line, sight, words, every=line.has("all"))
    wanted = label_selector(text).get("matchLabels") or {}
    if any(item.info.kind != "Service" for item in found):
        raise BadLine("error: setting a selector is only supported for Services")
    steps = []
    for item in found:
        gone = {key: None for key in at(item.document, "spec", "selector") or {} if key not in wanted}
        steps.append(
            Step(command=_patching(item, sight, {"spec": {"selector": {**wanted, **gone}}}), done=f"{item.full_name} selector updated")
        )
    return made(steps, missing)


def _set_subject(line: Line, sight: Sight) -> KubectlAction:
    found, missing = targets(line, sight, every=line.has("all"))
    wanted = subjects_of(line)
    if not wanted and found:
        raise BadLine("error: you must specify at least one value of user, group or serviceaccount")
    if any(item.info.kind not in _BOUND for item in found):
        raise BadLine("error: setting subjects is only supported for RoleBinding/ClusterRoleBinding")
    steps = []
    for item in found:
        held = item.document.get("subjects") or []
        added = [each for each in wanted if each not in held]
        if added:
            steps.append(Step(command=_patching(item, sight, {"subjects": [*held, *added]}), done=f"{item.full_name} subjects updated"))
    return made(steps, missing, nothing="")


_PARTS: dict[str, Callable[[Line, Sight], KubectlAction]] = {
    "image": _set_image,
    "env": _set_env,
    "resources": _set_resources,
    "serviceaccount": _set_account,
    "sa": _set_account,
    "selector": _set_selector,
    "subject": _set_subject,
}


def _within(body: Json, path: Iterable[str]) -> Json:
    for key in reversed(tuple(path)):
        body = {key: body}
    return body


def _patching(item: Target, sight: Sight, body: Json) -> AnyCommand:
    if item.info.kind == "Pod":
        return PatchPod(target=item.pod(sight).key, patch=json.dumps(body), kind="strategic")
    patch = json.dumps(body)
    return PatchObject(kind=item.info.kind, namespace=item.namespace, name=item.name, patch=patch, patch_kind="strategic")


def containers_of(item: Target) -> tuple[tuple[str, ...], dict[str, list[Json]]]:
    """The path of the pod spec in the object, and its containers by list."""
    paths = {"Pod": ("spec",), "CronJob": ("spec", "jobTemplate", "spec", "template", "spec")}
    path = paths.get(item.info.kind, ("spec", "template", "spec"))
    spec = at(item.document, *path) or {}
    return path, {place: spec.get(place) or [] for place in ("initContainers", "containers")}


def listed_variables(line: Line, sight: Sight) -> str:
    """What ``kubectl set env TYPE NAME --list`` prints: the variables of each container. Raises BadLine."""
    found, missing = targets(line, sight, [word for word in line.words[1:] if "=" not in word], every=line.has("all"))
    lines = []
    for item in found:
        for entry in containers_of(item)[1]["containers"]:
            if _is_picked(entry, line):
                lines.append(f"# {item.info.kind} {item.name}, container {entry['name']}")
                lines += [_shown_variable(variable) for variable in entry.get("env") or ()]
    return "".join(f"{text}\n" for text in (*lines, *missing))


def _shown_variable(variable: Json) -> str:
    """``A=b``, or where the value comes from (pkg/cmd/set/env GetEnvVarRefString)."""
    source = variable.get("valueFrom") or {}
    for key, kind in (("configMapKeyRef", "configmap"), ("secretKeyRef", "secret")):
        if key in source:
            return f"# {variable['name']} from {kind} {source[key].get('name')}, key {source[key].get('key')}"
    if "fieldRef" in source:
        return f"# {variable['name']} from field path {source['fieldRef'].get('fieldPath')}"
    if "resourceFieldRef" in source:
        return f"# {variable['name']} from resource {source['resourceFieldRef'].get('resource')}"
    return f"{variable['name']}={variable.get('value', '')}"
