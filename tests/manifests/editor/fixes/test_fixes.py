"""Every kind of fix: apply it, check again, and the problem is gone while comments stay."""

import pytest

from simulator.manifests.editor.diagnostics import diagnose
from simulator.manifests.editor.fixes import FIXERS

POD = """\
# a pod
apiVersion: v1
kind: Pod
metadata:
  name: web  # 🐳 whale
spec:
  restartPolicy: Always
  containers:
  # the only one
  - name: app
    image: nginx:1.27  # pinned
    ports:
    - containerPort: 80
      name: http
    resources:
      limits:
        memory: 1Gi
        cpu: 1
      requests:
        memory: 512Mi
        cpu: 1
"""
LABELLED = POD.replace("metadata:\n", "metadata:\n  labels: {app: web}\n")
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: app
        image: nginx:1.27
"""


SLOW = POD.replace("metadata:\n", "metadata:\n  annotations:\n    podscope.dev/behaviour: 'app: {startupDelay: 1m}'\n") + (
    "    livenessProbe:\n      httpGet: {path: /, port: 80}\n"
)


def more(container: str = "", spec: str = "") -> str:
    """POD with lines at the end of the container or of the spec."""
    inner = "".join(f"    {line}\n" for line in container.splitlines())
    outer = "".join(f"  {line}\n" for line in spec.splitlines())
    return POD + inner + outer


PROBE = "livenessProbe:\n  httpGet: {path: /, port: 80}\n  initialDelaySeconds: 60\n  %s\n"
ENV = "env:\n- name: A\n  value: one\n- name: A\n  value: two  # wins\n"
SLEEP = "lifecycle:\n  preStop:\n    exec:\n      command: [sleep, '40']\n"
LOOP = 'command: [sh, -c, "while true; do sleep 1; done"]\n'
SCRIPT = "command:\n- sh\n- -c\n- |\n  while true; do\n    sleep 1\n  done\n"

CASES = {
    "rename-field": (POD.replace("image:", "imaeg:"), "unknown-field"),
    "remove-field": (POD.replace("  restartPolicy: Always", "  zzz: 1"), "unknown-field"),
    "remove-forbidden": (
        more(spec="initContainers:\n- name: init\n  image: busybox:1.36\n  readinessProbe:\n    exec: {command: [a]}\n"),
        "init-",
    ),
    "insert-field": (POD.replace("    image: nginx:1.27  # pinned\n", ""), "image"),
    "selector-labels": (DEPLOYMENT.replace("        app: web\n", "        app: wbe\n"), ""),
    "api-version": (DEPLOYMENT.replace("apps/v1", "extensions/v1beta1"), "unknown-kind"),
    "kind-name": (POD.replace("kind: Pod", "kind: Pods"), "unknown-kind"),
    "insert-api-version": (POD.replace("apiVersion: v1\n", ""), "required"),
    "insert-kind": (POD.replace("kind: Pod\n", ""), "required"),
    "quote": (more("env:\n- name: A\n  value: 8080\n"), "wrong-type"),
    "unquote": (POD.replace("containerPort: 80", "containerPort: '80'"), "wrong-type"),
    "whole-number": (more(spec="terminationGracePeriodSeconds: 30s\n"), "wrong-type"),
    "make-list": (more("command: sleep\n"), "wrong-type"),
    "supported-value": (POD.replace("restartPolicy: Always", "restartPolicy: always"), ""),
    "into-range": (POD.replace("containerPort: 80", "containerPort: 80800"), ""),
    "quantity": (POD.replace("1Gi", "1 GB"), "bad-value"),
    "request-to-limit": (POD.replace("512Mi", "2Gi"), ""),
    "dns-name": (POD.replace("name: web  #", "name: My_Web  #"), ""),
    "port-name": (POD.replace("name: http", "name: a-much-too-long-name"), ""),
    "free-name": (more(spec="initContainers:\n- name: app\n  image: busybox:1.36\n"), ""),
    "free-object-name": (f"{POD}---\n{POD}", "already-exists"),
    "known-volume": (more("volumeMounts:\n- name: dta\n  mountPath: /a\n", "volumes:\n- name: data\n  emptyDir: {}\n"), ""),
    "longer-grace": (more(SLEEP), "prestop-eats-grace"),
    "grace-default": (more(spec="terminationGracePeriodSeconds: 0\n"), "grace-zero"),
    "rename-account": (more(spec="serviceAccount: robot\n"), "service-account-alias"),
    "size-limit": (more(spec="volumes:\n- name: v\n  emptyDir:\n    medium: Memory\n"), "empty-dir-memory-unlimited"),
    "memory-limit": (POD.replace("        memory: 1Gi\n", ""), "memory-limit-missing"),
    "own-request": (POD.replace("        memory: 512Mi\n", ""), "request-from-limit"),
    "cpu-limit": (POD.replace("        cpu: 1\n      requests:\n", "      requests:\n").replace("512Mi", "1Gi"), "almost-guaranteed"),
    "shorter-timeout": (more("readinessProbe:\n  httpGet: {port: 80}\n  timeoutSeconds: 10\n"), "probe-timeout-over-period"),
    "startup-probe": (more(PROBE % "failureThreshold: 5"), "initial-delay-for-startup"),
    "patient-probe": (SLOW, "killed-while-starting"),
    "more-failures": (more(PROBE % "failureThreshold: 1"), "liveness-hair-trigger"),
    "drop-field": (more(spec="nodeName: node1\n"), "node-name-set"),
    "drop-port": (POD.replace("    ports:\n", "    ports:\n    - containerPort: 80\n"), "port-duplicate"),
    "drop-variable": (more(ENV), "env-duplicate"),
    "usual-tag": (POD.replace("nginx:1.27", "nginx:lastest"), "image-tag-typo"),
    "new-label": (more(spec="nodeSelector:\n  beta.kubernetes.io/os: linux\n"), "label-deprecated"),
    "readiness-probe": (f"{LABELLED}---\n{SERVICE}", "readiness-missing"),
    "trap-term": (more(LOOP), "shell-swallows-term"),
}
ELSEWHERE = {"put-back"}
"""Fixes of problems that only a run can find: tests/preview."""
MORE = {
    "missing in flow style": (POD.replace("- name: app\n    image: nginx:1.27  # pinned\n", "- name: app\n"), "image"),
    "forbidden in flow style": (
        more(spec="initContainers:\n- {name: init, image: 'busybox:1.36', readinessProbe: {exec: {command: [a]}}}\n"),
        "init-",
    ),
    "first key behind the dash": (POD.replace("- name: app\n", "- zzz: 1\n    name: app\n"), "unknown-field"),
    "grace that is set": (more(SLEEP, "terminationGracePeriodSeconds: 20\n"), "prestop-eats-grace"),
    "script in a block": (more(SCRIPT), "shell-swallows-term"),
    "tabs": (POD.replace("  restartPolicy", "\trestartPolicy"), "yaml"),
    "space after the colon": (POD.replace("kind: Pod", "kind:Pod"), "yaml"),
    "second key": (POD.replace("  restartPolicy: Always\n", "  restartPolicy: Always\n  restartPolicy: Never\n"), "duplicate-key"),
    "labels that are missing": (DEPLOYMENT.replace("    metadata:\n      labels:\n        app: web\n", ""), ""),
    "metadata without a value": (POD.replace("metadata:\n  name: web  # 🐳 whale\n", "metadata:\n"), ""),
    "no metadata": (POD.replace("metadata:\n  name: web  # 🐳 whale\n", ""), ""),
    "success threshold": (more("livenessProbe:\n  httpGet: {port: 80}\n  failureThreshold: 5\n  successThreshold: 2\n"), ""),
    "volume that is nowhere": (more("volumeMounts:\n- name: cache\n  mountPath: /a\n"), ""),
    "boolean in quotes": (more(spec="hostNetwork: 'false'\n"), "wrong-type"),
}


def take(text: str, edits) -> str:
    units = text.encode("utf-16-le")
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        units = units[: edit.start * 2] + edit.insert.encode("utf-16-le") + units[edit.end * 2 :]
    return units.decode("utf-16-le")


def finding(text: str, code: str):
    found = [item for item in diagnose(text, kubernetes="1.33").diagnostics if item.quickfix and item.code.startswith(code)]
    assert found, [(item.code, item.message) for item in diagnose(text, kubernetes="1.33").diagnostics if item.severity != "info"]
    return next((item for item in found if item.severity == "error"), found[0])


def is_gone(item, text: str) -> bool:
    report = diagnose(text, kubernetes="1.33")
    assert not any(other.code == "yaml" for other in report.diagnostics), text
    return not any((other.code, other.message, other.path) == (item.code, item.message, item.path) for other in report.diagnostics)


def comments(text: str) -> set[str]:
    return {line.split("#", 1)[1] for line in text.splitlines() if "#" in line}


@pytest.mark.parametrize("name", [fixer.id for fixer in FIXERS if fixer.id not in ELSEWHERE])
def test_fix_makes_the_finding_go(name: str) -> None:
    text, code = CASES[name]
    item = finding(text, code)
    fixed = [take(text, found.edits) for found in item.quickfix]

    assert all(is_gone(item, after) for after in fixed)


@pytest.mark.parametrize("name", [fixer.id for fixer in FIXERS if fixer.id not in ELSEWHERE])
def test_fix_comes_from_its_fixer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    only = [fixer for fixer in FIXERS if fixer.id == name]
    monkeypatch.setattr("simulator.manifests.editor.fixes.fixers.FIXERS", only)

    assert finding(*CASES[name]).quickfix


@pytest.mark.parametrize("name", MORE)
def test_fix_fits_the_layout_when(name: str) -> None:
    text, code = MORE[name]
    item = finding(text, code)
    fixed = [take(text, found.edits) for found in item.quickfix]

    assert all(is_gone(item, after) for after in fixed)


@pytest.mark.parametrize("name", [fixer.id for fixer in FIXERS if fixer.id not in {"insert-field", *ELSEWHERE}])
def test_fix_keeps_comments(name: str) -> None:
    text, code = CASES[name]
    likely = finding(text, code).quickfix[0]

    assert comments(take(text, likely.edits)) >= comments(text)


@pytest.mark.parametrize("name", [fixer.id for fixer in FIXERS if fixer.id not in ELSEWHERE])
def test_fix_does_the_same_to_lines_that_end_as_on_windows(name: str) -> None:
    text, code = CASES[name]
    item = finding(text, code)
    same = next(found for found in diagnose(text.replace("\n", "\r\n"), kubernetes="1.33").diagnostics if found.code == item.code)

    assert [take(text.replace("\n", "\r\n"), found.edits).replace("\r\n", "\n") for found in same.quickfix] == [
        take(text, found.edits) for found in item.quickfix
    ]


LATE = "lifecycle: {preStop: {exec: {command: [sh, -c, sleep 28]}}}\n"


@pytest.mark.parametrize(
    ("text", "code", "title"),
    [
        (more(SLEEP), "prestop-eats-grace", "Set the grace period to 55 s"),
        (more(LATE), "prestop-without-grace-left", "Set the grace period to 60 s"),
        (more(LATE, "terminationGracePeriodSeconds: 29\n"), "prestop-without-grace-left", "Set the grace period to 58 s"),
    ],
)
def test_grace_is_as_long_as_the_hook_and_some_more_or_twice_as_long_as_it_was(text: str, code: str, title: str) -> None:
    assert [fix.title for fix in finding(text, code).quickfix] == [title]


OFFERED = {
    "rename-field": ["Rename to image", "Remove imaeg"],
    "remove-field": ["Remove zzz"],
    "remove-forbidden": ["Remove readinessProbe"],
    "insert-field": ["Insert image: nginx:1.27"],
    "selector-labels": ["Add the selector’s labels to the template"],
    "api-version": ["Use apiVersion apps/v1"],
    "kind-name": ["Use kind Pod"],
    "insert-api-version": ["Insert apiVersion: v1"],
    "insert-kind": ["Insert kind: Pod"],
    "quote": ["Put it in quotes"],
    "unquote": ["Write it as the number 80"],
    "whole-number": ["Write it as the number 30"],
    "make-list": ["Make it a list"],
    "supported-value": ["Use Always"],
    "into-range": ["Use 65535"],
    "quantity": ["Use 1G"],
    "request-to-limit": ["Set the request to 1Gi", "Set the limit to 2Gi"],
    "dns-name": ["Use my-web"],
    "port-name": ["Use a-much-too-long"],
    "free-name": ["Rename to app-2"],
    "free-object-name": ["Rename to web-2"],
    "known-volume": ["Use data"],
    "longer-grace": ["Set the grace period to 55 s"],
    "grace-default": ["Use 30"],
    "rename-account": ["Rename to serviceAccountName"],
    "size-limit": ["Insert sizeLimit: 256Mi"],
    "memory-limit": ["Limit memory to 512Mi"],
    "own-request": ["Insert requests.memory: 1Gi"],
    "cpu-limit": ["Limit cpu to 1"],
    "shorter-timeout": ["Set the period to 11 s"],
    "startup-probe": ["Add a startupProbe"],
    "patient-probe": ["Set failureThreshold to 8"],
    "more-failures": ["Use 3"],
    "drop-field": ["Remove nodeName"],
    "drop-port": ["Remove this entry"],
    "drop-variable": ["Remove the earlier entry, which never takes effect"],
    "usual-tag": ["Use nginx:latest"],
    "new-label": ["Rename to kubernetes.io/os"],
    "readiness-probe": ["Add a readinessProbe"],
    "trap-term": ["Make the script exit on TERM"],
    "missing in flow style": ["Insert image: nginx:1.27"],
    "forbidden in flow style": ["Remove readinessProbe"],
    "first key behind the dash": ["Remove zzz"],
    "grace that is set": ["Set the grace period to 55 s"],
    "script in a block": ["Make the script exit on TERM"],
    "tabs": ["Indent with spaces instead of tabs"],
    "space after the colon": ["Add a space after the colon"],
    "second key": ["Remove the second one"],
    "labels that are missing": ["Add the selector’s labels to the template"],
    "metadata without a value": ["Insert name: web"],
    "no metadata": ["Insert name: web"],
    "success threshold": ["Use 1"],
    "volume that is nowhere": ["Add an emptyDir volume cache"],
    "boolean in quotes": ["Write it as false"],
}
"""The titles of the fixes offered in each case."""


@pytest.mark.parametrize("name", OFFERED)
def test_fix_is_offered_by_what_it_does(name: str) -> None:
    assert [fix.title for fix in finding(*(CASES | MORE)[name]).quickfix] == OFFERED[name]


def in_pod(old: str, new: str) -> str:
    assert old in POD
    return POD.replace(old, new)


def grace(text: str) -> str:
    return more(spec=f"terminationGracePeriodSeconds: {text}\n")


NEAREST = [
    (in_pod("- name: app", f"- name: {'a' * 64}"), f"Use {'a' * 63}"),
    (in_pod("- name: app", "- name: My.App"), "Use my-app"),
    (in_pod("name: web  #", "name: My.Web  #"), "Use my.web"),
    (SERVICE.replace("{name: web}", "{name: 1web}"), "Use web"),
    (SERVICE.replace("{name: web}", "{name: Web.App}"), "Use web-app"),
    (in_pod("name: http", "name: my--port"), "Use my-port"),
    (in_pod("name: http", "name: My_Port"), "Use my-port"),
    (in_pod("  - name: app\n", "  - name: app-2\n    image: a:1\n  - name: app\n    image: b:1\n  - name: app\n"), "Rename to app-3"),
    (f"{POD}---\n{POD}".replace("name: web", "name: web-7"), "Rename to web-2"),
    (more(spec="hostNetwork: 'yes'\n"), "Write it as true"),
    (more(spec="hostNetwork: 'Off'\n"), "Write it as false"),
    (grace("3.7"), "Write it as the number 3"),
    (grace("30 seconds"), "Write it as the number 30"),
    (grace("'-3'"), "Write it as the number -3"),
    (in_pod("containerPort: 80", "containerPort: -5"), "Use 1"),
    (in_pod("containerPort: 80", "containerPort: 65536"), "Use 65535"),
    (more("livenessProbe:\n  httpGet: {port: 80}\n  periodSeconds: -1\n"), "Use 0"),
    (in_pod("restartPolicy: Always", "restartPolicy: zzz"), "Use Always, Use OnFailure, Use Never"),
    (more("imagePullPolicy: allways\n"), "Use Always"),
    (more("env:\n- name: A\n  value: true\n"), "Put it in quotes"),
    (in_pod(POD[POD.index("  containers:") :], ""), "Insert containers"),
    (in_pod("image: nginx:1.27  # pinned", "image: ''"), "Insert image: nginx:1.27"),
    (DEPLOYMENT.replace("  selector:\n    matchLabels: {app: web}\n", ""), "Insert selector"),
    (DEPLOYMENT[: DEPLOYMENT.index("  template")], "Insert template"),
    (more("volumeMounts:\n- mountPath: /a\n", "volumes:\n- name: data\n  emptyDir: {}\n"), "Insert name: data"),
    (DEPLOYMENT.replace("kind: Deployment", "kind: Deploymnet"), "Use kind Deployment"),
    (in_pod("image: nginx:1.27", "image: nginx:1.27\n    imaeg: b"), "Remove imaeg"),
    (in_pod("        cpu: 1\n      requests", "        cpu: 500m\n      requests"), "Set the request to 500m, Set the limit to 1"),
    *((in_pod("1Gi", written), f"Use {meant}") for written, meant in (
        ("128MB", "128M"), ("0,5Gi", "0.5Gi"), ("1 kb", "1k"), ("1K", "1k"), ("5 g", "5G"), ("10 kib", "10Ki"), ("7 b", "7"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("text", "titles"), NEAREST)
def test_fix_offers_what_was_probably_meant(text: str, titles: str) -> None:
    item = finding(text, "")
    assert ", ".join(fix.title for fix in item.quickfix) == titles
    assert all(is_gone(item, take(text, fix.edits)) for fix in item.quickfix)


@pytest.mark.parametrize(
    "text",
    [
        in_pod("name: http", "name: '8080'"),
        more("volumeMounts:\n- name: Cache\n  mountPath: /a\n"),
        more("volumeMounts:\n- name: zzz\n  mountPath: /a\n", "volumes:\n- name: data\n  emptyDir: {}\n"),
        more("volumeMounts:\n- mountPath: /a\n"),
        more(spec="hostNetwork: maybe\n"),
        grace("3m"),
        in_pod("1Gi", "12 parsec"),
        in_pod("kind: Pod", "kind: Zzzzz"),
        DEPLOYMENT.replace("kind: Deployment\n", ""),
        in_pod("  restartPolicy: Always\n", "  restartPolicy: Always\n  containers:\n  - name: x\n    image: y:1\n"),
    ],
)
def test_no_fix_is_offered_where_nobody_can_tell_what_was_meant(text: str) -> None:
    found = [item for item in diagnose(text, kubernetes="1.33").diagnostics if item.severity == "error" or item.code == "duplicate-key"]
    assert found and not any(item.quickfix for item in found)
