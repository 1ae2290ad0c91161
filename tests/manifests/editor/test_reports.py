"""Golden reports: everything that the editor says about each text of the tests of advice and fixes, and about broken ones.

A line of ``tests/manifests/golden/reports.txt`` has the place, code, path and message of a finding, and the fixes
offered for it. ``make golden`` writes the file.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from simulator.manifests.editor.diagnostics import diagnose
from tests.manifests.editor.advice.test_advice import CASES as ADVISED
from tests.manifests.editor.fixes.test_fixes import CASES, DEPLOYMENT, MORE, NEAREST, POD, SERVICE, more
from tests.manifests.test_diagnostics import POD as WRONG_POD

GOLDEN = Path(__file__).parents[1] / "golden"
KINDS = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "61 * * * *"
  jobTemplate: {spec: {template: {spec: {containers: [{name: app, image: "busybox:1.36"}]}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: -1
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db2}}, spec: {containers: [{name: app, image: "busybox:1.36"}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [Sometimes], resources: {requests: {storage: lots}}}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {kind: Deployment, name: web}, minReplicas: 5, maxReplicas: 2}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, maxUnavailable: 1}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q}
spec: {hard: {pods: many, cpu: "1"}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: n}
spec: {podSelector: {matchLabels: {"a b": c}}, ingress: [{ports: [{port: 99999}]}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r}
rules: [{verbs: [], resources: [pods]}]
---
apiVersion: example.com/v1
kind: Unknown
metadata: {name: u}
"""
SPEC = """\
hostNetwork: true
dnsPolicy: Sometimes
priority: high
securityContext: {runAsUser: -1, runAsNonRoot: "yes", sysctls: [{name: "", value: x}]}
tolerations: [{key: a, operator: Exists, value: b}, {effect: Never}]
affinity:
  nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In}]}]}}
topologySpreadConstraints: [{maxSkew: 0, topologyKey: "", whenUnsatisfiable: Perhaps}]
volumes:
- {name: a, emptyDir: {}, configMap: {name: c}}
- {name: A, emptyDir: {sizeLimit: -1}}
- {name: b}
initContainers:
- {name: init, image: "busybox:1.36", restartPolicy: Always, lifecycle: {postStart: {exec: {command: []}}}}
"""
CONTAINER = """\
env:
- {name: "1 A", value: b}
- {name: B, value: c, valueFrom: {fieldRef: {fieldPath: metadata.nope}}}
- {name: C, valueFrom: {}}
livenessProbe: {httpGet: {path: "", port: 0}, tcpSocket: {port: 80}, successThreshold: 2, periodSeconds: 0}
readinessProbe: {grpc: {port: 70000}}
lifecycle: {preStop: {}}
securityContext: {privileged: false, allowPrivilegeEscalation: true, capabilities: {add: [ALL]}}
terminationMessagePolicy: Sometimes
workingDir: a:b
volumeMounts:
- {name: zzz, mountPath: ""}
- {name: b, mountPath: /a, subPath: ../x}
"""
BROKEN = {
    "kinds": KINDS,
    "a container with many errors": more(CONTAINER),
    "a spec with many errors": more(spec=SPEC),
    "of every kind": WRONG_POD,
    "an empty text": "",
    "only comments": "# nothing\n---\n",
    "a list": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: 1}}\n- {kind: Pod}\n",
    "scalars": "a\n---\n5\n---\n[1]\n",
    "aliases": "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: a}\ndata: {<<: *m, b: *m}\n",
    "a tag": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: !x a}\n",
    "numbers": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 0x10}\ndata: {a: 1e3, b: .inf, c: 0o17, d: 1_000, e: 12:30, f: ~}\n",
    "dates": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, creationTimestamp: 2026-01-01}\ndata: {a: 2026-01-01}\n",
    "a truncated text": POD[:200],
    "a bad indent": POD.replace("    image:", "   image:"),
    "a namespace that is not there": POD.replace("  name: web", "  namespace: nosuch\n  name: web"),
    "a service and its pods": f"{SERVICE}---\n{DEPLOYMENT}",
    "null values": POD.replace("restartPolicy: Always", "restartPolicy:\n  hostNetwork: null\n  containers2: ~"),
}


def texts() -> Iterator[tuple[str, str]]:
    """Each text by its title."""
    yield from (
        (f"advice {rule}, {word}", text) for rule, pair in ADVISED.items() for word, text in zip(("told", "cured"), pair, strict=True)
    )
    yield from ((f"fix {name}", text) for name, (text, _code) in (CASES | MORE).items())
    yield from ((f"nearest {n}", text) for n, (text, _titles) in enumerate(NEAREST))
    yield from BROKEN.items()


def told(text: str, version: str) -> Iterator[str]:
    """The outline and the findings of a report; of defaults only how many there are."""
    report = diagnose(text, kubernetes=version)
    for item in report.documents:
        yield f"  {item.line}-{item.end_line} {item.api_version} {item.kind} {item.namespace}/{item.name}"
    for found in report.diagnostics:
        place = f"{found.line}:{found.col}-{found.end_line}:{found.end_col}"
        message = " ".join(found.message.split())
        fixes = "".join(f" [{fix.title}: {[(edit.start, edit.end, edit.insert) for edit in fix.edits]}]" for fix in found.quickfix)
        filled = f" {len(found.defaults)} filled" if found.defaults else ""
        hint = f" ({found.hint})" if found.hint else ""
        yield f"  {found.severity} {place} {found.code} {found.path}: {message}{hint}{filled}{fixes}"


def test_each_text_is_reported_as_before(golden: Callable[[Path, str], None]) -> None:
    lines = [line for version in ("1.20", "1.37") for title, text in texts() for line in (f"== {version}: {title}", *told(text, version))]
    golden(GOLDEN / "reports.txt", "\n".join(lines) + "\n")
