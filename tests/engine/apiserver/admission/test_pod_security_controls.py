"""The controls of the Pod Security Standards, in the words of the API server."""

import pytest

from simulator.engine.apiserver.admission.pod_security.plugin import LevelVersion, violations
from simulator.engine.versions.release import Release

GOOD = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def said(pod, level="baseline", version="latest", server=34):
    return [item.text for item in violations(LevelVersion(level, version), pod, release=Release(server))]


def pod(*contexts, **spec):
    """A pod with a container ``a``, ``b`` … for each security context."""
    containers = [{"name": name, "image": "x", "securityContext": context} for name, context in zip("abc", contexts or ({},), strict=False)]
    return {"metadata": {"name": "p"}, "spec": {"containers": containers, **spec}}


def annotated(**annotations):
    found = pod()
    found["metadata"]["annotations"] = {key.replace("__", "/").replace("_", "."): value for key, value in annotations.items()}
    return found


def of_pod(**context):
    return pod(securityContext=context)


def volume(kind):
    return {"name": kind.lower(), kind: {}}


SECCOMP = "securityContext.seccompProfile.type"
BASELINE = [
    (pod(), []),
    (pod(hostPID=True, hostIPC=True, hostNetwork=True), ["host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)"]),
    (pod(volumes=[volume("hostPath")]), ['hostPath volumes (volume "hostpath")']),
    (pod({"privileged": True}, {"privileged": True}), ['privileged (containers "a", "b" must not set securityContext.privileged=true)']),
    (
        pod({"capabilities": {"add": ["SYS_ADMIN", "CHOWN", "BPF"]}}),
        ['non-default capabilities (container "a" must not include "BPF", "SYS_ADMIN" in securityContext.capabilities.add)'],
    ),
    (pod({"procMount": "Unmasked"}), ['procMount (container "a" must not set securityContext.procMount to "Unmasked")']),
    (pod({"procMount": "Default"}), []),
    (
        of_pod(seLinuxOptions={"user": "u", "role": "r"}),
        ["seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: user may not be set; role may not be set)"],
    ),
    (
        pod({"seLinuxOptions": {"type": "bar"}}, {"seLinuxOptions": {"type": "foo", "role": "r"}}),
        ['seLinuxOptions (containers "a", "b" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; role may not be set)'],
    ),
    (
        pod({"seccompProfile": {"type": "Unconfined"}}, securityContext={"seccompProfile": {"type": "Unconfined"}}),
        [f'seccompProfile (pod and container "a" must not set {SECCOMP} to "Unconfined")'],
    ),
    (
        of_pod(sysctls=[{"name": "net.core.somaxconn"}, {"name": "kernel.msgmax"}]),
        ["forbidden sysctls (net.core.somaxconn, kernel.msgmax)"],
    ),
    (
        of_pod(windowsOptions={"hostProcess": True}),
        ["hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)"],
    ),
    (
        of_pod(appArmorProfile={"type": "Unconfined"}),
        ['forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")'],
    ),
    (of_pod(appArmorProfile={"type": "Localhost", "localhostProfile": "p"}), []),
]


@pytest.mark.parametrize(("document", "expected"), BASELINE)
def test_baseline_names_what_is_not_kept(document, expected):
    assert said(document) == expected


def test_ports_of_the_node_are_listed_as_texts():
    container = {"name": "a", "ports": [{"hostPort": 80}, {"hostPort": 443}, {"containerPort": 1}]}
    assert said({"spec": {"containers": [container]}}) == ['hostPort (container "a" uses hostPorts 443, 80)']


def test_init_and_ephemeral_containers_are_visited_too():
    bad = {"securityContext": {"privileged": True}}
    spec = {"containers": [{"name": "c", **bad}], "initContainers": [{"name": "i", **bad}], "ephemeralContainers": [{"name": "e", **bad}]}
    assert said({"spec": spec}) == ['privileged (containers "i", "c", "e" must not set securityContext.privileged=true)']


def test_apparmor_by_annotation_has_the_words_of_the_server():
    document = annotated(container_apparmor_security_beta_kubernetes_io__a="unconfined")
    key = "container.apparmor.security.beta.kubernetes.io/a"
    assert said(document, server=29) == [f'forbidden AppArmor profile ({key}="unconfined")']
    assert said(document, server=30) == [
        f'forbidden AppArmor profile (annotation must not set AppArmor profile type to "{key}="unconfined"")'
    ]


def test_old_policies_judge_seccomp_by_annotations():
    document = annotated(seccomp_security_alpha_kubernetes_io__pod="unconfined")
    assert said(document, version="v1.18") == [
        'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")'
    ]
    assert said(document, version="v1.19") == []


def test_hosts_of_probes_are_judged_from_1_34():
    probe = {"httpGet": {"host": "10.0.0.1", "port": 80}}
    document = {"spec": {"containers": [{"name": "a", "livenessProbe": probe, "lifecycle": {"preStop": {"tcpSocket": {"host": "b"}}}}]}}
    assert said(document, version="v1.33") == []
    assert said(document) == ['probe or lifecycle host (container "a" uses probe or lifecycle hosts "10.0.0.1", "b")']
    assert said(document, server=33) == []


@pytest.mark.parametrize(
    ("name", "since"),
    [
        ("net.ipv4.ip_local_reserved_ports", 27),
        ("net.ipv4.tcp_keepalive_time", 29),
        ("net.ipv4.tcp_rmem", 32),
        ("kernel.shm_rmid_forced", 0),
    ],
)
def test_kernel_parameters_are_allowed_by_version(name, since):
    document = of_pod(sysctls=[{"name": name}])
    assert said(document, version=f"v1.{since}") == []
    if since:
        assert said(document, version=f"v1.{since - 1}") == [f"forbidden sysctls ({name})"]


def test_selinux_type_of_engines_came_with_1_31():
    document = of_pod(seLinuxOptions={"type": "container_engine_t"})
    assert (len(said(document, version="v1.30")), said(document, version="v1.31")) == (1, [])


def test_restricted_asks_for_everything():
    assert said(pod({}), "restricted") == [
        'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
        'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])',
        'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
        f'seccompProfile (pod or container "a" must set {SECCOMP} to "RuntimeDefault" or "Localhost")',
    ]
    assert said(pod(GOOD), "restricted") == []


RESTRICTED = [
    ({**GOOD, "runAsUser": 0}, {}, ['runAsUser=0 (container "a" must not set runAsUser=0)']),
    (
        {**GOOD, "runAsNonRoot": False},
        {"securityContext": {"runAsNonRoot": False}},
        ['runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false)'],
    ),
    (
        {**GOOD, "capabilities": {"add": ["NET_BIND_SERVICE", "CHOWN"]}},
        {},
        [
            'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include'
            ' "CHOWN" in securityContext.capabilities.add)'
        ],
    ),
    (
        GOOD,
        {"volumes": [volume("hostPath"), volume("nfs"), volume("image"), volume("emptyDir"), volume("csi")]},
        ['restricted volume types (volumes "hostpath", "nfs", "image" use restricted volume types "hostPath", "nfs", "unknown")'],
    ),
    ({**GOOD, "seccompProfile": {"type": "Unconfined"}}, {}, [f'seccompProfile (container "a" must not set {SECCOMP} to "Unconfined")']),
]


@pytest.mark.parametrize(("context", "spec", "expected"), RESTRICTED)
def test_restricted_replaces_what_baseline_says_of_the_same(context, spec, expected):
    assert said(pod(context, **spec), "restricted") == expected


def test_what_the_pod_sets_counts_for_its_containers():
    context = {key: value for key, value in GOOD.items() if key not in ("runAsNonRoot", "seccompProfile")}
    whole = {"runAsNonRoot": True, "seccompProfile": {"type": "Localhost", "localhostProfile": "p"}}
    assert said(pod(context, securityContext=whole), "restricted") == []


@pytest.mark.parametrize(
    ("version", "count"), [("v1.7", 1), ("v1.8", 2), ("v1.18", 2), ("v1.19", 3), ("v1.21", 3), ("v1.22", 4), ("v1.23", 4), ("v1.99", 4)]
)
def test_restricted_grew_with_its_versions(version, count):
    assert len(said(pod({}), "restricted", version)) == count


def test_pods_for_windows_need_no_linux_hardening_from_1_25():
    document = pod({"runAsNonRoot": True}, os={"name": "windows"})
    assert (len(said(document, "restricted", "v1.24")), said(document, "restricted", "v1.25")) == (3, [])


def test_mapped_users_may_be_root_from_1_35():
    document = pod({**GOOD, "runAsUser": 0, "runAsNonRoot": False}, hostUsers=False)
    assert len(said(document, "restricted", server=34)) == 2
    assert said(document, "restricted", server=35) == []
    masked = pod({**GOOD, "procMount": "Unmasked"}, hostUsers=False)
    assert (said(masked, server=35), len(said(masked, "restricted", server=35)), len(said(masked, server=34))) == ([], 1, 1)


def test_privileged_lets_everything_pass():
    assert said(pod({"privileged": True}, hostPID=True), "privileged") == []
