"""Fixes for advice: what is accepted but will cause trouble."""

import json
import re
from collections.abc import Iterator

from simulator.manifests.editor.advice.termination import GRACE_S
from simulator.manifests.editor.fixes.fixers import fix, fixer
from simulator.manifests.editor.fixes.page import Fix, Page, split_path
from simulator.manifests.problems import Problem
from simulator.manifests.texts import _

_SPEC = re.compile(r"(.*?spec)\.(?:containers|initContainers|ephemeralContainers)\[\d+\]")
_CONTAINER = re.compile(r".*?spec\.(?:containers|initContainers|ephemeralContainers)\[\d+\]")
_SLACK_S = 15
_PERIOD_S = 10
_LIMIT = "256Mi"


def _number(page: Page, path: str) -> int | None:
    text = page.written(path)
    return int(text) if text.isdecimal() else None


@fixer("longer-grace", "prestop-eats-grace", "prestop-without-grace-left")
def longer_grace(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A grace period that leaves time after preStop."""
    match = _SPEC.match(problem.path)
    # The first number in the message is how long preStop sleeps.
    numbers = [int(text) for text in re.findall(r"\d+", problem.message)]
    if match is None or not numbers:
        return
    path = f"{match[1]}.terminationGracePeriodSeconds"
    old = _number(page, path)
    wanted = numbers[0] + _SLACK_S if problem.code == "prestop-eats-grace" else 2 * (old or GRACE_S)
    change = page.insert(match[1], "terminationGracePeriodSeconds", wanted) if old is None else page.set_value(path, str(wanted))
    yield fix(_("Set the grace period to %d s") % wanted, change)


@fixer("grace-default", "grace-zero")
def grace_default(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The default grace period."""
    yield fix(_("Use %s") % GRACE_S, page.set_value(problem.path, str(GRACE_S)))


@fixer("rename-account", "service-account-alias")
def rename_account(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The current name of the field."""
    yield fix(_("Rename to %s") % "serviceAccountName", page.rename(problem.path, "serviceAccountName"))


@fixer("size-limit", "empty-dir-memory-unlimited")
def size_limit(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A size for a memory volume."""
    yield fix(_("Insert %s") % f"sizeLimit: {_LIMIT}", page.insert(split_path(problem.path)[0], "sizeLimit", _LIMIT))


@fixer("memory-limit", "memory-limit-missing")
def memory_limit(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A memory limit, as high as the request if there is one."""
    match = _CONTAINER.match(problem.path)
    if match is not None:
        wanted = page.written(f"{match[0]}.resources.requests.memory") or _LIMIT
        yield fix(_("Limit memory to %s") % wanted, page.insert(f"{match[0]}.resources.limits", "memory", wanted.strip("\"'")))


@fixer("own-request", "request-from-limit")
def own_request(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The request that applies anyway, written out."""
    parent, name = split_path(problem.path)
    value = page.written(problem.path).strip("\"'")
    requests = f"{parent.removesuffix('.limits')}.requests"
    yield fix(_("Insert %s") % f"requests.{name}: {value}", page.insert(requests, name, int(value) if value.isdecimal() else value))


@fixer("cpu-limit", "almost-guaranteed")
def cpu_limit(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The cpu limit that makes the container Guaranteed."""
    value = page.written(f"{problem.path.removesuffix('.limits')}.requests.cpu").strip("\"'")
    if value:
        yield fix(_("Limit cpu to %s") % value, page.insert(problem.path, "cpu", int(value) if value.isdecimal() else value))


@fixer("shorter-timeout", "probe-timeout-over-period")
def shorter_timeout(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A period longer than the timeout."""
    timeout = _number(page, problem.path)
    parent = split_path(problem.path)[0]
    if timeout is None:
        return
    path = f"{parent}.periodSeconds"
    change = page.set_value(path, str(timeout + 1)) if page.node(path) is not None else page.insert(parent, "periodSeconds", timeout + 1)
    yield fix(_("Set the period to %d s") % (timeout + 1), change)


@fixer("startup-probe", "initial-delay-for-startup")
def startup_probe(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A startup probe instead of the delay: it may fail for as long as three delays."""
    delay = _number(page, problem.path)
    probe = split_path(problem.path)[0]
    node = page.node(probe)
    handler = _handler(page, probe)
    if delay is None or node is None or not handler:
        return
    # Failures for three times the delay, with a period of five seconds, rounded up.
    value = {**handler, "periodSeconds": 5, "failureThreshold": -(-3 * delay // 5)}
    container = split_path(probe)[0]
    yield fix(_("Add a startupProbe"), page.insert(container, "startupProbe", value))


def _handler(page: Page, probe: str) -> dict[str, object]:
    value: object = page.raw.value
    for step in re.findall(r"[^.\[\]]+", probe):
        value = value[int(step)] if isinstance(value, list) else value.get(step) if isinstance(value, dict) else None
    found = value if isinstance(value, dict) else {}
    return {name: found[name] for name in ("httpGet", "tcpSocket", "exec", "grpc") if found.get(name)}


@fixer("patient-probe", "killed-while-starting")
def patient_probe(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """As many failures as the startup needs, and a few more."""
    probe = re.sub(r"\.failureThreshold$", "", problem.path)
    needed = re.search(r"\d+", problem.message)
    period = _number(page, f"{probe}.periodSeconds") or _PERIOD_S
    if needed is not None:
        wanted = -(-int(needed[0]) // period) + 2
        path = f"{probe}.failureThreshold"
        change = page.insert(probe, "failureThreshold", wanted) if page.node(path) is None else page.set_value(path, str(wanted))
        yield fix(_("Set failureThreshold to %d") % wanted, change)


@fixer("more-failures", "liveness-hair-trigger")
def more_failures(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The default number of failures."""
    yield fix(_("Use %s") % 3, page.set_value(problem.path, "3"))


@fixer(
    "drop-field", "liveness-without-restart", "host-port", "node-name-set", "privileged", "deadline-on-endless-pod", "image-stale-latest"
)
def drop_field(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Remove the field."""
    yield fix(_("Remove %s") % split_path(problem.path)[1], page.remove(problem.path))


@fixer("readiness-probe", "readiness-missing")
def readiness_probe(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A probe that checks whether anything listens on the first port."""
    container = split_path(problem.path)[0]
    port = _number(page, f"{container}.ports[0].containerPort")
    if port is not None:
        value = {"tcpSocket": {"port": port}, "periodSeconds": 5}
        yield fix(_("Add a readinessProbe"), page.insert(container, "readinessProbe", value))


@fixer("drop-port", "port-duplicate")
def drop_port(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Remove the second of two equal ports."""
    yield fix(_("Remove this entry"), page.remove(split_path(problem.path)[0]))


@fixer("drop-variable", "env-duplicate")
def drop_variable(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Remove the earlier variable of that name, which never had an effect."""
    env = split_path(split_path(problem.path)[0])[0]
    node, own = page.node(env), page.node(problem.path)
    for index in range(len(node.items or ()) if node is not None else 0):
        other = page.node(f"{env}[{index}].name")
        if own is not None and other is not None and other is not own and other.text == own.text:
            yield fix(_("Remove the earlier entry, which never takes effect"), page.remove(f"{env}[{index}]"))
            return


@fixer("usual-tag", "image-tag-typo")
def usual_tag(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The common tag that was probably meant."""
    names = re.findall(r'"([^"]*)"', problem.message)
    image = page.written(problem.path).strip("\"'")
    if len(names) == 2 and image.endswith(f":{names[0]}"):
        wanted = f"{image.removesuffix(names[0])}{names[1]}"
        yield fix(_("Use %s") % wanted, page.set_value(problem.path, wanted))


@fixer("new-label", "label-deprecated")
def new_label(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The current name of the label."""
    name = split_path(problem.path)[1].removeprefix("beta.")
    yield fix(_("Rename to %s") % name, page.rename(problem.path, name))


@fixer("trap-term", "shell-swallows-term")
def trap_term(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A trap at the beginning of the script, which is the first long text after ``sh -c``."""
    title = _("Make the script exit on TERM")
    for path in (f"{problem.path}[2]", f"{problem.path.removesuffix('.command')}.args[0]"):
        node = page.node(path)
        if node is None or not node.text:
            continue
        if node.block:
            yield fix(title, page.first_line(path, "trap 'exit 0' TERM"))
        else:
            yield fix(title, page.set_value(path, json.dumps(f"trap 'exit 0' TERM; {node.text}", ensure_ascii=False)))
        return
