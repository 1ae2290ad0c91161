"""Every piece of advice appears where it should and not where it has been followed."""

import pytest
import yaml

from simulator.manifests.editor.advice import ADVICE
from simulator.manifests.editor.diagnostics import diagnose


def pod(spec: str = "", container: str = "", *, kind: str = "Pod", name: str = "web") -> str:
    """A pod with one container; ``spec`` and ``container`` are more YAML for them in flow style."""
    extra = yaml.safe_load(spec or "{}")
    own = {"name": "app", "image": "nginx:1.27", **yaml.safe_load(container or "{}")}
    whole = {"containers": [own], **extra}
    labels = {"app": "web"}
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": whole}
    if kind != "Pod":
        template = {"metadata": {"labels": labels}, "spec": whole}
        selector = {} if kind == "Job" else {"selector": {"matchLabels": labels}}
        spec_ = {**selector, "template": template}
        document = {"apiVersion": "batch/v1" if kind == "Job" else "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": spec_}
    return yaml.safe_dump(document)


def service(spec: str = "{selector: {app: web}, ports: [{port: 80}]}") -> str:
    return yaml.safe_dump({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": yaml.safe_load(spec)})


def budget(spec: str) -> str:
    return yaml.safe_dump(
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": yaml.safe_load(spec)}
    )


def deployment(spec: str) -> str:
    document = yaml.safe_load(pod(kind="Deployment"))
    document["spec"].update(yaml.safe_load(spec))
    return yaml.safe_dump(document)


def job(spec: str) -> str:
    document = yaml.safe_load(pod("{restartPolicy: Never}", kind="Job"))
    document["spec"].update(yaml.safe_load(spec))
    return yaml.safe_dump(document)


def both(*parts: str) -> str:
    return "---\n".join(parts)


FULL = "{requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
CLASS = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 10\n"
VOLUME = "{volumes: [{name: v, configMap: {name: c}}]}"
HTTP = "{httpGet: {path: /, port: 80}}"


def slow(container: str) -> str:
    """A pod whose program takes a minute to start."""
    document = yaml.safe_load(pod(container=container))
    document["metadata"]["annotations"] = {"podscope.dev/behaviour": "app: {startupDelay: 1m}"}
    return yaml.safe_dump(document)


CASES = {
    "killed-while-starting": (
        slow("{livenessProbe: {httpGet: {port: 80}}}"),
        slow("{livenessProbe: {httpGet: {port: 80}}, startupProbe: {httpGet: {port: 80}, failureThreshold: 9}}"),
    ),
    "image-latest": (pod(container="{image: nginx}"), pod()),
    "image-name-invalid": (pod(container="{image: 'nginx:1.27:x'}"), pod()),
    "image-tag-typo": (pod(container="{image: 'nginx:lastest'}"), pod(container="{image: 'nginx:stable'}")),
    "image-stale-latest": (
        pod(container="{image: nginx, imagePullPolicy: IfNotPresent}"),
        pod(container="{imagePullPolicy: IfNotPresent}"),
    ),
    "image-pull-never": (pod(container="{imagePullPolicy: Never}"), pod(container="{imagePullPolicy: Always}")),
    "pod-best-effort": (pod(), pod(container=f"{{resources: {FULL}}}")),
    "memory-limit-missing": (pod(container="{resources: {requests: {cpu: 1}}}"), pod(container=f"{{resources: {FULL}}}")),
    "request-from-limit": (pod(container="{resources: {limits: {cpu: 1}}}"), pod(container=f"{{resources: {FULL}}}")),
    "request-over-node": (pod(container="{resources: {requests: {cpu: 64}}}"), pod(container=f"{{resources: {FULL}}}")),
    "almost-guaranteed": (
        pod(container="{resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 1Gi}}}"),
        pod(container=f"{{resources: {FULL}}}"),
    ),
    "request-tiny-memory": (
        pod(container="{resources: {requests: {memory: 512}}}"),
        pod(container="{resources: {requests: {memory: 512Mi}}}"),
    ),
    "liveness-like-readiness": (
        pod(container=f"{{livenessProbe: {HTTP}, readinessProbe: {HTTP}}}"),
        pod(container=f"{{livenessProbe: {{httpGet: {{path: /, port: 80}}, failureThreshold: 9}}, readinessProbe: {HTTP}}}"),
    ),
    "probe-timeout-over-period": (
        pod(container="{readinessProbe: {httpGet: {port: 80}, timeoutSeconds: 10}}"),
        pod(container="{readinessProbe: {httpGet: {port: 80}, timeoutSeconds: 9}}"),
    ),
    "initial-delay-for-startup": (
        pod(container="{livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 60}}"),
        pod(container="{livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 60}, startupProbe: {httpGet: {port: 80}}}"),
    ),
    "liveness-hair-trigger": (
        pod(container="{livenessProbe: {httpGet: {port: 80}, failureThreshold: 1}}"),
        pod(container="{livenessProbe: {httpGet: {port: 80}, failureThreshold: 2}}"),
    ),
    "liveness-without-restart": (
        pod("{restartPolicy: Never}", f"{{livenessProbe: {HTTP}}}"),
        pod("{restartPolicy: OnFailure}", f"{{livenessProbe: {HTTP}}}"),
    ),
    "exec-probe-short-timeout": (
        pod(container="{livenessProbe: {exec: {command: [check]}, failureThreshold: 1}}"),
        pod(container="{livenessProbe: {exec: {command: [check]}, failureThreshold: 1, timeoutSeconds: 5}}"),
    ),
    "prestop-eats-grace": (
        pod(container="{lifecycle: {preStop: {exec: {command: [sleep, '30']}}}}"),
        pod("{terminationGracePeriodSeconds: 90}", "{lifecycle: {preStop: {exec: {command: [sleep, '30']}}}}"),
    ),
    "prestop-without-grace-left": (
        pod(container="{lifecycle: {preStop: {exec: {command: [sh, -c, sleep 28]}}}}"),
        pod(container="{lifecycle: {preStop: {exec: {command: [sh, -c, sleep 5]}}}}"),
    ),
    "grace-zero": (pod("{terminationGracePeriodSeconds: 0}"), pod("{terminationGracePeriodSeconds: 1}")),
    "shell-swallows-term": (
        pod(container="{command: [sh, -c, 'while true; do sleep 1; done']}"),
        pod(container="{command: [sh, -c, 'trap exit TERM; while true; do sleep 1; done']}"),
    ),
    "deadline-on-endless-pod": (pod("{activeDeadlineSeconds: 60}"), pod("{activeDeadlineSeconds: 60, restartPolicy: Never}")),
    "host-port": (pod(container="{ports: [{containerPort: 80, hostPort: 80}]}"), pod(container="{ports: [{containerPort: 80}]}")),
    "env-duplicate": (
        pod(container="{env: [{name: A, value: b}, {name: A, value: c}]}"),
        pod(container="{env: [{name: A, value: b}, {name: B, value: c}]}"),
    ),
    "port-duplicate": (
        pod(container="{ports: [{containerPort: 80}, {containerPort: 80}]}"),
        pod(container="{ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]}"),
    ),
    "sub-path-not-updated": (
        pod(VOLUME, "{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}"),
        pod(VOLUME, "{volumeMounts: [{name: v, mountPath: /a}]}"),
    ),
    "privileged": (pod(container="{securityContext: {privileged: true}}"), pod(container="{securityContext: {privileged: false}}")),
    "env-plain-secret": (
        pod(container="{env: [{name: DB_PASSWORD, value: hunter2}]}"),
        pod(container="{env: [{name: DB_PASSWORD, valueFrom: {secretKeyRef: {name: db, key: password}}}]}"),
    ),
    "service-account-alias": (pod("{serviceAccount: robot}"), pod("{serviceAccountName: robot}")),
    "priority-class-unknown": (pod("{priorityClassName: high}"), both(CLASS, pod("{priorityClassName: high}"))),
    "empty-dir-memory-unlimited": (
        pod("{volumes: [{name: v, emptyDir: {medium: Memory}}]}"),
        pod("{volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]}"),
    ),
    "host-path": (pod("{volumes: [{name: v, hostPath: {path: /var}}]}"), pod("{volumes: [{name: v, emptyDir: {}}]}")),
    "host-network": (pod("{hostNetwork: true}"), pod("{hostNetwork: true}", kind="DaemonSet")),
    "node-name-set": (pod("{nodeName: node1}"), pod("{nodeSelector: {a: b}}")),
    "tolerates-everything": (
        pod("{tolerations: [{operator: Exists}]}"),
        pod("{tolerations: [{operator: Exists, effect: NoSchedule}]}"),
    ),
    "label-deprecated": (pod("{nodeSelector: {beta.kubernetes.io/os: linux}}"), pod("{nodeSelector: {kubernetes.io/os: linux}}")),
    "volume-deprecated": (
        pod("{volumes: [{name: v, gitRepo: {repository: 'https://example.com'}}]}"),
        pod("{volumes: [{name: v, emptyDir: {}}]}"),
    ),
    "config-missing": (both(pod(VOLUME), CONFIG % "other"), both(pod(VOLUME), CONFIG % "c")),
    "readiness-missing": (
        both(pod(container="{ports: [{containerPort: 80}]}"), service()),
        both(pod(container=f"{{ports: [{{containerPort: 80}}], readinessProbe: {HTTP}}}"), service()),
    ),
    "target-port-unknown": (
        both(pod(container="{ports: [{containerPort: 80}]}"), service("{selector: {app: web}, ports: [{port: 80, targetPort: http}]}")),
        both(
            pod(container="{ports: [{containerPort: 80, name: http}]}"),
            service("{selector: {app: web}, ports: [{port: 80, targetPort: http}]}"),
        ),
    ),
    "service-selects-nothing": (both(pod(), service("{selector: {app: wbe}, ports: [{port: 80}]}")), both(pod(), service())),
    "pdb-allows-nothing": (
        both(pod(), budget("{minAvailable: 1, selector: {matchLabels: {app: web}}}")),
        both(deployment("{replicas: 2}"), budget("{minAvailable: 1, selector: {matchLabels: {app: web}}}")),
    ),
    "pdb-selects-everything": (
        budget("{maxUnavailable: 1, selector: {}}"),
        budget("{maxUnavailable: 1, selector: {matchLabels: {app: web}}}"),
    ),
    "rollout-all-at-once": (
        deployment("{strategy: {rollingUpdate: {maxUnavailable: 100%}}}"),
        deployment("{strategy: {rollingUpdate: {maxUnavailable: 1}}}"),
    ),
    "job-stays": (job("{}"), job("{ttlSecondsAfterFinished: 60}")),
    "single-replica-recreate": (deployment("{strategy: {type: Recreate}}"), deployment("{strategy: {type: RollingUpdate}}")),
    "finalizer-unknown": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, finalizers: [example.com/hold]}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    ),
}


def codes(text: str) -> list[str]:
    return [item.code for item in diagnose(text, kubernetes="1.33").diagnostics]


@pytest.mark.parametrize("rule", ADVICE, ids=lambda rule: rule.id)
def test_advice_speaks_when_there_is_reason(rule) -> None:
    assert rule.id in codes(CASES[rule.id][0])


@pytest.mark.parametrize("rule", ADVICE, ids=lambda rule: rule.id)
def test_advice_is_silent_when_cured(rule) -> None:
    assert rule.id not in codes(CASES[rule.id][1])


def test_advice_marks_the_field_when_it_stands_in_a_template() -> None:
    text = pod(container="{image: nginx}", kind="Deployment")
    found = next(item for item in diagnose(text, kubernetes="1.33").diagnostics if item.code == "image-latest")

    assert text[found.start : found.end] == "nginx" and found.why and found.doc.startswith("https://kubernetes.io/docs/")


@pytest.mark.parametrize("rule", ADVICE, ids=lambda rule: rule.id)
def test_advice_says_why_and_where_to_read(rule) -> None:
    assert rule.why.endswith(".") and "/" in rule.doc


@pytest.mark.parametrize(
    ("memory", "is_told"),
    [("0", False), ("1m", True), ("1048575", True), ("1Mi", False), ("1048576", False), ("1M", True), ("much", False)],
)
def test_memory_of_less_than_a_mebibyte_is_told_of(memory: str, is_told: bool) -> None:
    assert ("request-tiny-memory" in codes(pod(container=f"{{resources: {{requests: {{memory: {memory}}}}}}}"))) is is_told


@pytest.mark.parametrize(
    ("resources", "paths"),
    [
        ("{requests: {cpu: 64, example.com/card: 64}}", ["requests.cpu"]),
        ("{limits: {memory: 4Ti}}", ["limits.memory"]),
        ("{requests: {cpu: 1}, limits: {cpu: 64}}", []),
        ("{requests: {cpu: much}}", []),
    ],
)
def test_only_what_nodes_have_and_a_pod_asks_for_is_more_than_a_node_has(resources: str, paths: list[str]) -> None:
    found = [
        item.path
        for item in diagnose(pod(container=f"{{resources: {resources}}}"), kubernetes="1.33").diagnostics
        if item.code == "request-over-node"
    ]
    assert [path.rpartition(".resources.")[2] for path in found] == paths


INIT = "{initContainers: [{name: init, image: 'busybox:1.36', %s}]}"
BUDGET = "{minAvailable: %s, selector: {matchLabels: {app: web}}}"
DELETE = "{lifecycle: {preStop: {exec: {command: [sh, -c, sleep %s]}}}}"
ENV_OF = "{env: [{name: A, valueFrom: {%s: {name: c, key: k}}}]}"
MOUNT = "{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}"
NAMED = "{ports: [{containerPort: 80, name: http}]}"


def slow_by(delay: str, probes: str) -> str:
    return slow(f"{{{probes}}}").replace("startupDelay: 1m", f"startupDelay: {delay}")


SPOKEN: list[tuple[str, str, bool]] = [
    ("killed-while-starting", slow_by("30s", "livenessProbe: {httpGet: {port: 80}}"), False),
    ("killed-while-starting", slow_by("31s", "livenessProbe: {httpGet: {port: 80}}"), True),
    ("killed-while-starting", slow_by("35s", "livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 5}"), False),
    ("killed-while-starting", slow_by("40s", "readinessProbe: {httpGet: {port: 80}}"), False),
    ("image-latest", pod(container="{image: 'nginx:latest'}"), True),
    ("image-latest", pod(container=f"{{image: 'nginx@sha256:{'a' * 64}'}}"), False),
    ("image-stale-latest", pod(container="{image: 'nginx:latest', imagePullPolicy: IfNotPresent}"), True),
    ("image-stale-latest", pod(container="{image: nginx, imagePullPolicy: Always}"), False),
    ("image-tag-typo", pod(container="{image: 'nginx:1.27-lastest'}"), False),
    ("pod-best-effort", pod(INIT % "resources: {requests: {cpu: 1}}"), False),
    ("pod-best-effort", pod("{resources: {limits: {cpu: 1}}}"), False),
    ("memory-limit-missing", pod(), False),
    ("memory-limit-missing", pod("{resources: {limits: {memory: 1Gi}}}", "{resources: {requests: {cpu: 1}}}"), False),
    ("memory-limit-missing", pod(INIT % "resources: {requests: {cpu: 1}}", f"{{resources: {FULL}}}"), False),
    ("memory-limit-missing", pod(INIT % "restartPolicy: Always", f"{{resources: {FULL}}}"), True),
    ("request-from-limit", pod(container="{resources: {limits: {cpu: 1}, requests: {cpu: 1}}}"), False),
    ("request-from-limit", pod(container="{resources: {limits: {example.com/card: 1}}}"), False),
    ("request-over-node", pod(container="{resources: {requests: {cpu: 4}}}"), False),
    ("request-over-node", pod(container="{resources: {requests: {cpu: 4001m}}}"), True),
    ("request-over-node", pod(container="{resources: {limits: {memory: 16Gi}}}"), False),
    ("almost-guaranteed", pod(container="{resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 2Gi}}}"), False),
    ("almost-guaranteed", pod(container="{resources: {requests: {memory: 1Gi}, limits: {memory: 1Gi}}}"), False),
    ("liveness-like-readiness", pod(container=f"{{livenessProbe: {HTTP}, readinessProbe: {{tcpSocket: {{port: 80}}}}}}"), False),
    ("liveness-like-readiness", pod(container=f"{{livenessProbe: {HTTP}}}"), False),
    ("probe-timeout-over-period", pod(container="{livenessProbe: {httpGet: {port: 80}, periodSeconds: 2, timeoutSeconds: 2}}"), True),
    ("probe-timeout-over-period", pod(container="{startupProbe: {httpGet: {port: 80}, periodSeconds: 3, timeoutSeconds: 2}}"), False),
    ("initial-delay-for-startup", pod(container="{livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 20}}"), True),
    ("initial-delay-for-startup", pod(container="{livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 19}}"), False),
    ("initial-delay-for-startup", pod(container="{readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 60}}"), False),
    ("liveness-without-restart", pod("{restartPolicy: Never}", f"{{readinessProbe: {HTTP}}}"), False),
    ("liveness-without-restart", pod("{restartPolicy: Always}", f"{{livenessProbe: {HTTP}}}"), False),
    ("liveness-without-restart", pod("{restartPolicy: Never}", f"{{restartPolicy: OnFailure, livenessProbe: {HTTP}}}"), False),
    ("exec-probe-short-timeout", pod(container="{livenessProbe: {exec: {command: [a]}, periodSeconds: 29, failureThreshold: 1}}"), True),
    ("exec-probe-short-timeout", pod(container="{livenessProbe: {exec: {command: [a]}}}"), False),
    ("exec-probe-short-timeout", pod(container="{livenessProbe: {exec: {command: [a]}, failureThreshold: 1, timeoutSeconds: 1}}"), True),
    ("exec-probe-short-timeout", pod(container="{livenessProbe: {exec: {command: [a]}, failureThreshold: 1, timeoutSeconds: 2}}"), False),
    ("exec-probe-short-timeout", pod(container="{livenessProbe: {httpGet: {port: 80}, failureThreshold: 1}}"), False),
    ("prestop-eats-grace", pod(container=DELETE % 29), False),
    ("prestop-eats-grace", pod("{terminationGracePeriodSeconds: 0}", DELETE % 5), False),
    ("prestop-eats-grace", pod(container="{lifecycle: {preStop: {sleep: {seconds: 30}}}}"), True),
    ("prestop-without-grace-left", pod(container=DELETE % 30), False),
    ("prestop-without-grace-left", pod(container=DELETE % 25), True),
    ("prestop-without-grace-left", pod(container=DELETE % 24), False),
    ("shell-swallows-term", pod("{restartPolicy: Never}", "{command: [sh, -c, 'while true; do sleep 1; done']}"), False),
    ("shell-swallows-term", pod("{shareProcessNamespace: true}", "{command: [sh, -c, 'while true; do sleep 1; done']}"), False),
    ("shell-swallows-term", pod(container="{command: [python, -c, 'a; b']}"), False),
    ("shell-swallows-term", pod(container="{command: [sh, -c]}"), False),
    ("shell-swallows-term", pod(container="{command: [sh, -x, 'a; b']}"), False),
    ("shell-swallows-term", pod(container="{command: [sh, c, 'a; b']}"), False),
    ("shell-swallows-term", pod(container="{command: [sh, -ec, 'a; b']}"), True),
    ("shell-swallows-term", pod(container="{command: [sh, -c, 'sleep 100']}"), False),
    ("shell-swallows-term", pod(container="{command: [sh, -c], args: ['a && b']}"), True),
    ("host-port", pod("{hostNetwork: true}", "{ports: [{containerPort: 80, hostPort: 80}]}"), False),
    ("port-duplicate", pod(container="{ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]}"), True),
    ("port-duplicate", pod(container="{ports: [{containerPort: 80}, {containerPort: 81}]}"), False),
    ("sub-path-not-updated", pod("{volumes: [{name: v, emptyDir: {}}]}", MOUNT), False),
    ("sub-path-not-updated", pod("{volumes: [{name: v, secret: {secretName: c}}]}", MOUNT), True),
    ("env-plain-secret", pod(container="{env: [{name: API_TOKEN, value: x}]}"), True),
    ("env-plain-secret", pod(container="{env: [{name: DB_PASSWORD, value: $(OTHER)}]}"), False),
    ("env-plain-secret", pod(container="{env: [{name: DB_PASSWORD, value: ''}]}"), False),
    ("env-plain-secret", pod(container="{env: [{name: PASSWORD_FILE, value: /a}]}"), False),
    ("service-account-alias", pod("{serviceAccount: robot, serviceAccountName: robot}"), False),
    ("priority-class-unknown", pod("{priorityClassName: system-node-critical}"), False),
    ("priority-class-unknown", both(CLASS, pod("{priorityClassName: higher}")), True),
    ("empty-dir-memory-unlimited", pod("{volumes: [{name: v, emptyDir: {}}]}"), False),
    ("host-path", pod("{volumes: [{name: v, hostPath: {path: /var}}]}", kind="DaemonSet"), False),
    ("host-network", pod("{hostNetwork: false}"), False),
    ("tolerates-everything", pod("{tolerations: [{operator: Exists}]}", kind="DaemonSet"), False),
    ("tolerates-everything", pod("{tolerations: [{operator: Exists, key: a}]}"), False),
    ("tolerates-everything", pod("{tolerations: [{operator: Exists, effect: NoExecute}]}"), True),
    ("tolerates-everything", pod("{tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: 5}]}"), False),
    ("volume-deprecated", pod("{volumes: [{name: v, glusterfs: {endpoints: e, path: p}}]}"), True),
    ("config-missing", pod(VOLUME), False),
    ("config-missing", both(pod("{volumes: [{name: v, configMap: {name: c, optional: true}}]}"), CONFIG % "other"), False),
    ("config-missing", both(pod("{volumes: [{name: v, secret: {secretName: c}}]}"), CONFIG % "c"), True),
    ("config-missing", both(pod(container=ENV_OF % "configMapKeyRef"), CONFIG % "other"), True),
    ("config-missing", both(pod(container=ENV_OF % "configMapKeyRef"), CONFIG % "c"), False),
    ("config-missing", both(pod(container=ENV_OF % "secretKeyRef"), CONFIG % "c"), True),
    ("config-missing", both(pod(container="{envFrom: [{configMapRef: {name: c}}]}"), CONFIG % "other"), True),
    ("config-missing", both(pod(container="{envFrom: [{configMapRef: {name: c, optional: true}}]}"), CONFIG % "other"), False),
    ("readiness-missing", both(pod(container="{ports: [{containerPort: 81}]}"), service()), False),
    ("readiness-missing", both(pod(container=NAMED), service("{selector: {app: web}, ports: [{port: 8, targetPort: http}]}")), True),
    ("readiness-missing", both(pod(container=NAMED), service("{selector: {app: a}, ports: [{port: 80}]}")), False),
    ("target-port-unknown", both(pod(container=NAMED), service("{selector: {app: web}, ports: [{port: 80, targetPort: '81'}]}")), False),
    ("target-port-unknown", both(pod(container=NAMED), service("{selector: {app: web}, ports: [{port: 80, targetPort: 81}]}")), False),
    ("service-selects-nothing", service(), False),
    ("service-selects-nothing", both(pod(), service("{ports: [{port: 80}]}")), False),
    ("pdb-allows-nothing", both(deployment("{replicas: 2}"), budget(BUDGET % 2)), True),
    ("pdb-allows-nothing", both(deployment("{replicas: 3}"), budget(BUDGET % 2)), False),
    ("pdb-allows-nothing", both(deployment("{}"), budget(BUDGET % 1)), True),
    ("pdb-allows-nothing", both(deployment("{replicas: 0}"), budget(BUDGET % 1)), True),
    ("pdb-allows-nothing", both(pod(), pod(name="other"), budget(BUDGET % 1)), False),
    ("pdb-allows-nothing", budget(BUDGET % 5), False),
    ("pdb-allows-nothing", budget(BUDGET % "100%"), True),
    ("pdb-allows-nothing", budget("{maxUnavailable: 0, selector: {matchLabels: {app: web}}}"), True),
    ("pdb-allows-nothing", budget("{maxUnavailable: 1, selector: {matchLabels: {app: web}}}"), False),
    ("single-replica-recreate", pod(), False),
    ("finalizer-unknown", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, finalizers: [kubernetes.io/hold]}\n", False),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "is_told"), SPOKEN)
def test_advice_speaks_exactly_where_its_condition_holds(rule: str, text: str, is_told: bool) -> None:
    assert (rule in codes(text)) is is_told
