"""One pod for each of the rarer rules: the rule refuses it, and the version before or after does not."""

from typing import Any

import pytest

from simulator.engine.apiserver.validation import validate_pod
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release

CPU = {"cpu": "1"}


def app(**more: Any) -> Json:
    return {"containers": [{"name": "a", "image": "i:1", **more}]}


def init(**more: Any) -> Json:
    return {**app(), "initContainers": [{"name": "b", "image": "i:1", **more}]}


def debugger(**more: Any) -> Json:
    return {**app(), "ephemeralContainers": [{"name": "b", "image": "i:1", **more}]}


def env(**source: Any) -> Json:
    return app(env=[{"name": "A", "valueFrom": source}])


def volume(**source: Any) -> Json:
    return {**app(), "volumes": [{"name": "v", **source}]}


def secured(**context: Any) -> Json:
    return {**app(), "securityContext": context}


def confined(**context: Any) -> Json:
    return app(securityContext=context)


def fired(minor: int, spec: Json, metadata: Json | None = None, *, defaulted: bool = False) -> set[str]:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default", **(metadata or {})}, "spec": spec}
    return {rule.id for rule, _ in validate_pod(pod, release=Release(minor), defaulted=defaulted)}


TOKEN = {"projected": {"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 600}}]}}
MOUNTED = app(volumeMounts=[{"name": "v", "mountPath": "/x", "subPath": "s"}])
MIXED = {**confined(windowsOptions={"hostProcess": True}), **secured(windowsOptions={"hostProcess": False})}
MIXED["containers"] = confined(windowsOptions={"hostProcess": True})["containers"]
SLEEP = {"preStop": {"sleep": {"seconds": 99}}}
CASES: list[tuple[str, int, Json]] = [
    ("REQUEST-NAME", 33, app(resources={"requests": {"watts": "1"}})),
    ("REQUEST-WITHIN-LIMIT-1.26", 26, app(resources={"requests": {"cpu": "2"}, "limits": CPU})),
    ("REQUEST-HUGE-PAGES", 33, app(resources={"requests": {"hugepages-2Mi": "3Mi"}, "limits": CPU})),
    ("READINESS-GATES", 33, {**app(), "readinessGates": [{"conditionType": "no good"}]}),
    ("EPHEMERAL-TARGET", 33, debugger(targetContainerName="ghost")),
    ("EPHEMERAL-IMAGE-BLANKS", 20, debugger(image=" i")),
    ("PORT-NAME-1.20", 20, app(ports=[{"containerPort": 80, "name": "-"}])),
    ("RESIZE-POLICY", 33, app(resizePolicy=[{"resourceName": "watts", "restartPolicy": "NotRequired"}])),
    ("DNS-SERVERS-1.29", 29, {**app(), "dnsConfig": {"nameservers": ["nowhere"]}}),
    ("DNS-SEARCHES", 33, {**app(), "dnsConfig": {"searches": ["no good"]}}),
    ("DNS-SEARCH-LENGTH", 33, {**app(), "dnsConfig": {"searches": ["a" * 63] * 32 + ["b" * 63]}}),
    ("ENV-NAME", 33, app(env=[{"name": "A=B"}])),
    ("ENV-FROM-PREFIX", 33, app(envFrom=[{"prefix": "A=", "configMapRef": {"name": "c"}}])),
    ("ENV-FROM-PREFIX-1.31", 31, app(envFrom=[{"prefix": "1A", "configMapRef": {"name": "c"}}])),
    ("ENV-FROM-SOURCE", 33, app(envFrom=[{}])),
    ("ENV-FILE", 35, env(fileKeyRef={"volumeName": "v", "path": "/abs", "key": ""})),
    (
        "ENV-FILE-VOLUME",
        35,
        {**env(fileKeyRef={"volumeName": "v", "path": "f", "key": "K"}), "volumes": [{"name": "v", "secret": {"secretName": "s"}}]},
    ),
    ("HOST-NETWORK-PORTS", 33, {**app(ports=[{"containerPort": 80, "hostPort": 81}]), "hostNetwork": True}),
    ("HOST-NETWORK-PORTS-1.27", 27, {**app(ports=[{"containerPort": 80, "hostPort": 81}]), "hostNetwork": True}),
    ("PROBE-GRACE", 33, app(livenessProbe={"exec": {"command": ["x"]}, "terminationGracePeriodSeconds": 0})),
    ("PROBE-GRACE-OF-READINESS", 33, app(readinessProbe={"exec": {"command": ["x"]}, "terminationGracePeriodSeconds": 5})),
    ("HOOK-SLEEP", 34, {**app(lifecycle=SLEEP), "terminationGracePeriodSeconds": 30}),
    ("HOOK-SLEEP-1.32", 32, {**app(lifecycle=SLEEP), "terminationGracePeriodSeconds": 30}),
    ("VOLUME-AZUREDISK", 33, volume(azureDisk={"diskName": "", "diskURI": ""})),
    ("VOLUME-CINDER", 33, volume(cinder={"volumeID": ""})),
    ("VOLUME-FLEXVOLUME", 33, volume(flexVolume={"driver": ""})),
    ("VOLUME-AWS-PARTITION", 33, volume(awsElasticBlockStore={"volumeID": "x", "partition": 300})),
    ("VOLUME-CLAIM", 33, volume(persistentVolumeClaim={"claimName": ""})),
    ("INIT-RESTART-POLICY", 33, init(restartPolicy="Never")),
    ("RESTART-RULES", 36, app(restartPolicy="Never", restartPolicyRules=[{"action": "Odd"}])),
    ("RESTART-RULES-1.35", 35, app(restartPolicy="Never", restartPolicyRules=[{"action": "RestartAllContainers"}])),
    ("SIDECAR-RESTART-RULES", 35, init(restartPolicy="Always", restartPolicyRules=[{"action": "Restart"}])),
    ("PRIVILEGE-ESCALATION", 33, confined(privileged=True, allowPrivilegeEscalation=False)),
    ("POD-IDS", 33, secured(runAsUser=-1)),
    ("SYSCTLS", 33, secured(sysctls=[{"name": "no good", "value": "1"}])),
    ("SYSCTLS-1.22", 22, secured(sysctls=[{"name": "no good", "value": "1"}])),
    ("FS-GROUP-CHANGE-POLICY", 33, secured(fsGroupChangePolicy="Never")),
    ("POD-SECCOMP", 33, secured(seccompProfile={"type": "Odd"})),
    ("POD-APPARMOR", 33, secured(appArmorProfile={"type": "Odd"})),
    ("SELINUX-CHANGE-POLICY", 33, secured(seLinuxChangePolicy="Odd")),
    ("PULL-SECRETS", 33, {**app(), "imagePullSecrets": [{"name": "s", "kind": "Secret"}]}),
    ("SERVICE-ACCOUNT-NAME", 33, {**app(), "serviceAccountName": "No Good"}),
    ("PRIORITY-CLASS-NAME", 33, {**app(), "priorityClassName": "No Good"}),
    ("RUNTIME-CLASS-NAME", 33, {**app(), "runtimeClassName": "No Good"}),
    ("RESOURCE-CLAIM-SOURCE", 34, {**app(), "resourceClaims": [{"name": "c"}]}),
    ("RESOURCE-CLAIM-NAME", 34, {**app(), "resourceClaims": [{"name": "No Good", "resourceClaimName": "x"}]}),
    ("CONTAINER-CLAIMS", 34, app(resources={"claims": [{"name": "ghost"}]})),
    ("POD-LIMITS-CAP", 34, {**app(resources={"limits": {"cpu": "2"}}), "resources": {"limits": CPU}}),
    ("POD-WINDOWS-OPTIONS", 33, {**secured(windowsOptions={"gmsaCredentialSpecName": "No Good"}), "os": {"name": "windows"}}),
    ("MOUNT-OF-IMAGE", 31, {**MOUNTED, "volumes": [{"name": "v", "image": {"reference": "i:1"}}]}),
    ("EPHEMERAL-SUBPATHS", 33, debugger(volumeMounts=[{"name": "v", "mountPath": "/x", "subPath": "s"}])),
    ("DEVICE-VOLUME-1.20", 20, {**app(volumeDevices=[{"name": "v", "devicePath": "/d"}]), "volumes": [{"name": "v", "emptyDir": {}}]}),
    ("HOST-PROCESS-GATE", 22, {**confined(windowsOptions={"hostProcess": True}), "hostNetwork": True}),
    ("HOST-PROCESS", 33, {**MIXED, "hostNetwork": True, "os": {"name": "windows"}}),
    (
        "RESIZE-POLICY-NEVER",
        35,
        {**app(resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]), "restartPolicy": "Never"},
    ),
]
METADATA: list[tuple[str, int, Json]] = [
    ("GENERATION", 33, {"generation": -1}),
    ("ANNOTATION-SIZE", 33, {"annotations": {"a": "x" * 262145}}),
    ("ANNOTATION-SIZE-1.31", 31, {"annotations": {"a": "x" * 262145}}),
    ("OWNERS", 34, {"ownerReferences": [{"apiVersion": "v1", "kind": "", "name": "n", "uid": "u"}]}),
    ("SECCOMP-ANNOTATIONS", 22, {"annotations": {"seccomp.security.alpha.kubernetes.io/pod": "odd"}}),
]


@pytest.mark.parametrize(("rule", "minor", "spec"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_rule_refuses_the_spec(rule: str, minor: int, spec: Json) -> None:
    assert rule in fired(minor, spec)


@pytest.mark.parametrize(("rule", "minor", "metadata"), METADATA, ids=lambda value: value if isinstance(value, str) else "")
def test_rule_refuses_the_metadata(rule: str, minor: int, metadata: Json) -> None:
    assert rule in fired(minor, app(), metadata)


def test_plain_pod_is_refused_by_no_rule() -> None:
    assert all(not fired(minor, app()) for minor in (20, 26, 31, 33, 37))


@pytest.mark.parametrize(
    ("rule", "spec"),
    [
        ("HOOK-PATH-REQUIRED", app(lifecycle={"preStop": {"httpGet": {"port": 80}}})),
        ("PROBE-SUCCESS-REQUIRED", app(livenessProbe={"exec": {"command": ["x"]}})),
        ("ENV-FIELD-VERSION-REQUIRED", env(fieldRef={"fieldPath": "metadata.name"})),
        ("TOKEN-NEEDS-ACCOUNT", volume(**TOKEN)),
    ],
)
def test_rule_misses_what_should_have_been_filled_in(rule: str, spec: Json) -> None:
    assert rule in fired(33, spec, defaulted=True)
    assert rule not in fired(33, spec)
