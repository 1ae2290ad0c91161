"""The response time of the editor: a manifest of a thousand lines, checked for everything the editor shows."""

from time import process_time

from msgspec import Struct

from simulator.manifests.editor.diagnostics import diagnose

LINES = 1000
ROUNDS = 20
_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web-{n}
  labels:
    app: web  # found by the Service
spec:
  containers:
  - name: app
    image: nginx:1.27
    ports:
    - containerPort: 80
    env:
    - name: GREETING
      value: hello
    resources:
      requests:
        cpu: 100m
        memory: 64Mi
      limits:
        memory: 128Mi
    livenessProbe:
      httpGet:
        path: /
        port: 80
      initialDelaySeconds: 30
    volumeMounts:
    - name: data
      mountPath: /data
  volumes:
  - name: data
    emptyDir: {{}}
---
"""


class CheckCost(Struct, frozen=True, kw_only=True):
    """CPU milliseconds of a check: the first in a process, which loads the schemas, and later ones."""

    lines: int
    findings: int
    first_ms: float
    mean_ms: float
    worst_ms: float


def manifest(lines: int = LINES) -> str:
    """Pods of some thirty lines each, up to this many lines."""
    size = _POD.count("\n")
    return "".join(_POD.format(n=n) for n in range(-(-lines // size)))


def check_time(lines: int = LINES, *, rounds: int = ROUNDS) -> CheckCost:
    """Check the same text repeatedly."""
    text = manifest(lines)
    took: list[float] = []
    found = 0
    for _ in range(rounds + 1):
        begin = process_time()
        found = len(diagnose(text, kubernetes="1.33").diagnostics)
        took.append((process_time() - begin) * 1000)
    first, *later = took
    return CheckCost(
        lines=text.count("\n"),
        findings=found,
        first_ms=round(first, 1),
        mean_ms=round(sum(later) / len(later), 1),
        worst_ms=round(max(later), 1),
    )
