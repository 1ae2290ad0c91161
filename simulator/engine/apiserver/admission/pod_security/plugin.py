"""The plug-in PodSecurity: labels of a namespace name the level its pods must meet, and what happens if they do not.

Six labels of a namespace name a level (privileged, baseline, restricted) and a version of the
standards for each of three modes. ``enforce`` refuses pods, ``warn`` returns a warning to the
client, ``audit`` adds an annotation to the audit log. Enforcement looks at pods alone; warnings and
audit look at the templates of workloads too, so that a Deployment whose pods would all be refused
is still stored, and says so.

Two versions meet in every decision. The version in the label picks the text of the standards: a
control applies if the standards of that version have it (``Control.since`` and ``until``). The
server's own version limits both what it knows of the standards, so that a label with a later
version means the server's own, and, for some controls, how it judges (``Control.servers``: before
1.30 AppArmor is only an annotation). Restricted includes baseline, except where a stricter control
replaces one (``replaces``); otherwise one violation would be reported twice.

An unreadable label is an error when it is written, but stored namespaces may have one from before.
Then enforcement falls back to restricted, and the other modes to nothing: the plug-in fails
closed where it decides and stays silent where it only warns.

A change of a pod is checked again only if it could matter: other images, other containers, other
seccomp annotations. Otherwise pods older than a stricter label could never be relabelled.

Source: staging/src/k8s.io/pod-security-admission/admission/admission.go, api/helpers.go and
policy/registry.go.
"""

import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from simulator.engine.apiserver.admission.pod_security import baseline, restricted
from simulator.engine.apiserver.admission.pod_security.baseline import Check
from simulator.engine.apiserver.admission.pod_security.findings import Violation
from simulator.engine.apiserver.validation.errors import FieldError, invalid
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.versions.release import Release
from simulator.engine.versions.span import Span

LABELS = "pod-security.kubernetes.io/"
"""The prefix of the plug-in's labels."""
MODES = ("enforce", "audit", "warn")
_LEVELS = ("privileged", "baseline", "restricted")
_LATEST = "latest"
_VERSION = re.compile(r"v1\.(0|[1-9][0-9]{0,8})")
_SECCOMP_ANNOTATIONS = ("seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/")

RULES = (
    RuleText(
        "POD-SECURITY",
        gettext_noop("The namespace enforces a level of the Pod Security Standards that this pod violates: {message}"),
        "pod-security-admission admission/admission.go EvaluatePod",
        "1.23",
    ),
    RuleText(
        "POD-SECURITY-WARN",
        gettext_noop("A namespace label requests this warning; the object is still stored."),
        "pod-security-admission admission/admission.go EvaluatePod",
        "1.23",
    ),
    RuleText(
        "POD-SECURITY-AUDIT",
        gettext_noop("A namespace label requests this audit annotation; the object is still stored."),
        "pod-security-admission admission/admission.go EvaluatePod",
        "1.23",
    ),
)


class Control(Span, frozen=True, kw_only=True):
    """A control of a level, in the versions of the standards that have it.

    In the level restricted it takes the place of the control of baseline that it ``replaces``. ``servers`` are the versions of the API
    server that apply it, whatever version of the standards is asked for.
    """

    id: str
    check: Check
    replaces: str = ""
    servers: Span = Span()


_BASELINE = (
    Control(id="appArmorProfile", check=baseline.apparmor_annotations, servers=Span(until=29)),
    Control(id="appArmorProfile", check=baseline.apparmor, servers=Span(since=30)),
    Control(id="capabilities_baseline", check=baseline.capabilities),
    Control(id="hostNamespaces", check=baseline.host_namespaces),
    Control(id="hostPathVolumes", check=baseline.host_path),
    Control(id="hostPorts", check=baseline.host_ports),
    Control(id="hostProbesAndHostLifecycle", check=baseline.probe_hosts, since=34),
    Control(id="privileged", check=baseline.privileged),
    Control(id="procMount", check=baseline.proc_mount, until=34),
    Control(id="procMount", check=baseline.unless_mapped(baseline.proc_mount), since=35),
    Control(id="seLinuxOptions", check=baseline.selinux, until=30),
    Control(id="seLinuxOptions", check=baseline.selinux_1_31, since=31),
    Control(id="seccompProfile_baseline", check=baseline.seccomp_annotations, until=18),
    Control(id="seccompProfile_baseline", check=baseline.seccomp, since=19),
    Control(id="sysctls", check=baseline.sysctls, until=26),
    Control(id="sysctls", check=baseline.sysctls_1_27, since=27, until=28),
    Control(id="sysctls", check=baseline.sysctls_1_29, since=29, until=31),
    Control(id="sysctls", check=baseline.sysctls_1_32, since=32),
    Control(id="windowsHostProcess", check=baseline.host_process),
)
_RESTRICTED = (
    Control(id="allowPrivilegeEscalation", check=restricted.escalation, since=8, until=24),
    Control(id="allowPrivilegeEscalation", check=restricted.unless_windows(restricted.escalation), since=25),
    Control(id="capabilities_restricted", check=restricted.capabilities, since=22, until=24, replaces="capabilities_baseline"),
    Control(
        id="capabilities_restricted", check=restricted.unless_windows(restricted.capabilities), since=25, replaces="capabilities_baseline"
    ),
    Control(id="procMount_restricted", check=baseline.proc_mount, since=35, replaces="procMount"),
    Control(id="restrictedVolumes", check=restricted.volumes, replaces="hostPathVolumes"),
    Control(id="runAsNonRoot", check=restricted.non_root, until=34),
    Control(id="runAsNonRoot", check=baseline.unless_mapped(restricted.non_root), since=35),
    Control(id="runAsUser", check=restricted.user, since=23, until=34),
    Control(id="runAsUser", check=baseline.unless_mapped(restricted.user), since=35),
    Control(id="seccompProfile_restricted", check=restricted.seccomp, since=19, until=24, replaces="seccompProfile_baseline"),
    Control(
        id="seccompProfile_restricted", check=restricted.unless_windows(restricted.seccomp), since=25, replaces="seccompProfile_baseline"
    ),
)
"""Both in the order of their ids, in which answers list the violations."""


class LevelVersion(Struct, frozen=True):
    """A level of the standards, and its version; ``str`` is how answers write it."""

    level: str = "privileged"
    version: str = _LATEST

    def __str__(self) -> str:
        return f"{self.level}:{self.version}"


class Policy(Struct, frozen=True, kw_only=True):
    """What the labels of a namespace set for each mode; ``errors`` are labels that cannot be read."""

    enforce: LevelVersion = LevelVersion()
    audit: LevelVersion = LevelVersion()
    warn: LevelVersion = LevelVersion()
    errors: tuple[FieldError, ...] = ()


def policy_of(labels: Mapping[str, str]) -> Policy:
    """The policy of a namespace with these labels. An unreadable level is restricted if it is to be enforced, else unset."""
    errors: list[FieldError] = []
    found: dict[str, LevelVersion] = {}
    for mode in MODES:
        level, version = labels.get(f"{LABELS}{mode}"), labels.get(f"{LABELS}{mode}-version")
        if level is not None and level not in _LEVELS:
            errors.append(_error(mode, level, f"must be one of {', '.join(_LEVELS)}"))
            level = "restricted" if mode == "enforce" else "privileged"
        if version is not None and version != _LATEST and not _VERSION.fullmatch(version):
            errors.append(_error(f"{mode}-version", version, 'must be "latest" or "v1.x"'))
            version = _LATEST
        found[mode] = LevelVersion(level or "privileged", version or _LATEST)
    return Policy(enforce=found["enforce"], audit=found["audit"], warn=found["warn"], errors=tuple(errors))


def _error(label: str, value: str, why: str) -> FieldError:
    return invalid(f"metadata.labels[{LABELS}{label}]", value, why)


def violations(asked: LevelVersion, pod: Json, *, release: Release) -> list[Violation]:
    """The violations of a level by a pod or a template. Cost: O(spec), some ten µs."""
    if asked.level == "privileged":
        return []
    match = _VERSION.fullmatch(asked.version)
    # A version of the standards that this server does not know is judged as its newest one.
    minor = min(int(match[1]), release.minor) if match else release.minor
    held = [control for control in _BASELINE if _counts(control, minor, release)]
    if asked.level == "restricted":
        more = [control for control in _RESTRICTED if _counts(control, minor, release)]
        replaced = {control.replaces for control in more}
        held = [*(control for control in held if control.id not in replaced), *more]
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    return [found for control in held if (found := control.check(metadata, spec)) is not None]


def _counts(control: Control, minor: int, release: Release) -> bool:
    return control.holds_for(minor) and control.servers.holds_for(release.minor)


def _message(asked: LevelVersion, found: list[Violation], *, would: bool) -> str:
    return f'{"would violate" if would else "violates"} PodSecurity "{asked}": {", ".join(item.text for item in found)}'


def refusal(labels: Mapping[str, str], pod: Json, *, release: Release) -> str:
    """Why the namespace's policy forbids a pod; empty if it does not."""
    asked = policy_of(labels).enforce
    found = violations(asked, pod, release=release)
    return _message(asked, found, would=False) if found else ""


def remarks(labels: Mapping[str, str], pod: Json, *, release: Release) -> Iterator[tuple[str, str]]:
    """Rule and text for each level to warn of or audit that a pod or a workload's template violates, although it is stored."""
    policy = policy_of(labels)
    for rule, asked in (("POD-SECURITY-WARN", policy.warn), ("POD-SECURITY-AUDIT", policy.audit)):
        if found := violations(asked, pod, release=release):
            yield rule, _message(asked, found, would=True)


def is_significant(pod: Json, old: Json) -> bool:
    """Whether a change of a pod has to be checked again: another image, another container, other annotations about seccomp."""
    if _judged_annotations(pod) != _judged_annotations(old):
        return True
    return _images(pod) != _images(old)


def _judged_annotations(pod: Json) -> dict[str, str]:
    held = (pod.get("metadata") or {}).get("annotations") or {}
    return {key: value for key, value in held.items() if key.startswith(_SECCOMP_ANNOTATIONS)}


def _images(pod: Json) -> list[tuple[str, str, str]]:
    groups = ("containers", "initContainers", "ephemeralContainers")
    return [(group, str(item.get("name")), str(item.get("image"))) for group in groups for item in pod["spec"].get(group) or ()]


def pod_security_label_errors(labels: Mapping[str, str], old: Mapping[str, str] | None = None) -> tuple[FieldError, ...]:
    """The errors of a namespace's labels, new or changed, except those that it had before."""
    errors = policy_of(labels).errors
    return () if old is not None and errors == policy_of(old).errors else errors


def namespace_warnings(
    name: str, labels: Mapping[str, str], old: Mapping[str, str], pods: Collection[Json], *, release: Release
) -> list[str]:
    """The warnings when a namespace gets another policy to enforce and has pods that violate it."""
    asked, before = policy_of(labels).enforce, policy_of(old).enforce
    # A laxer level of the same version cannot produce new violations; another version can.
    is_relaxed = asked.version == before.version and _LEVELS.index(asked.level) <= _LEVELS.index(before.level)
    if asked == before or asked.level == "privileged" or is_relaxed:
        return []
    alike: dict[str, list[str]] = {}
    for pod in pods:
        if found := violations(asked, pod, release=release):
            alike.setdefault(", ".join(item.reason for item in found), []).append(str(pod["metadata"]["name"]))
    if not alike:
        return []
    head = f'existing pods in namespace "{name}" violate the new PodSecurity enforce level "{asked}"'
    return [head, *sorted(f"{_first(names)}: {reasons}" for reasons, names in alike.items())]


def _first(names: list[str]) -> str:
    others = len(names) - 1
    return min(names) + (f" (and {others} other {'pod' if others == 1 else 'pods'})" if others else "")
