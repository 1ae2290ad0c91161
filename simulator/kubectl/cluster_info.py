"""Lines about the cluster and the client: version, api-resources, api-versions, cluster-info, auth can-i.

Source: kubectl pkg/cmd/{version,apiresources,clusterinfo,auth}; the output was compared with clients 1.20 to 1.37. The
user is an administrator: only ``can-i --as`` looks at roles.
"""

from simulator.engine.apiserver.documents.custom import custom_kinds
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KindInfo
from simulator.engine.model.named_kinds import BUILT_IN, OTHER_VERSIONS, SAME_ELSEWHERE, category_of, verbs_of
from simulator.engine.versions.span import Span
from simulator.kubectl.access import AccessWanted, may, user_of
from simulator.kubectl.align import table
from simulator.kubectl.context import SERVER, USER
from simulator.kubectl.find import find_kind, namespace_of
from simulator.kubectl.line import BadLine, EndedWith, Line
from simulator.kubectl.output.printer import print_object
from simulator.kubectl.output.texts import json_text
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.yaml import to_yaml

_SHORT = Span(since=28)
_SHORT_DEPRECATED = Span(since=24)
_BUILT = "2026-01-01T00:00:00Z"
_WHOAMI, _WHOAMI_ANSWERED = Span(since=26), Span(since=28)
_EXTRA_REFUSED = Span(since=22)
"""The clients whose ``version`` takes no arguments; seen with 1.20 and 1.24."""
_COMMAS = Span(since=26)
_AS_UID = Span(since=22)
"""The clients that can act under another uid; seen with 1.20 and 1.24."""
_SORTS = {"name": "plural", "kind": "kind"}
_TWO_WORDS = Span(since=26)
_KNOWN_VERBS = (
    *("*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind", "escalate", "impersonate"),
    *("approve", "sign", "attest"),
)
"""The verbs that can-i accepts without a warning (pkg/cmd/auth/cani.go)."""
_KUSTOMIZE = (
    (Span(since=22), "v4.5.4"),
    (Span(since=25), "v4.5.7"),
    (Span(since=27), "v5.0.1"),
    (Span(since=28), "v5.0.4-0.20230601165947-6ce0bf390ce3"),
    (Span(since=31), "v5.4.2"),
    (Span(since=32), "v5.5.0"),
    (Span(since=33), "v5.6.0"),
    (Span(since=34), "v5.7.1"),
    (Span(since=36), "v5.8.1"),
)


def version(line: Line, sight: Sight) -> str:
    """The output of ``kubectl version``: client and server both have the run's version. Raises BadLine."""
    if line.words and _EXTRA_REFUSED.holds_for(sight.minor):
        raise BadLine(f"error: extra arguments: [{' '.join(line.words)}]")
    kustomize = next((text for span, text in reversed(_KUSTOMIZE) if span.holds_for(sight.minor)), "")
    output = line.value("output")
    if output:
        if output not in ("json", "yaml"):
            raise BadLine("error: --output must be 'yaml' or 'json'")
        said: Json = {"clientVersion": version_document(sight.minor), **({"kustomizeVersion": kustomize} if kustomize else {})}
        said |= {} if line.has("client") else {"serverVersion": version_document(sight.minor)}
        return to_yaml(said) if output == "yaml" else f"{json_text(said, sort=False, indent=2)}\n"
    if line.has("short") and not _SHORT.holds_for(sight.minor):
        shown = f"v1.{sight.minor}.0"
        lines = [f"Client Version: {shown}", *([f"Kustomize Version: {kustomize}"] if kustomize else [])]
        lines += [] if line.has("client") else [f"Server Version: {shown}"]
        if _SHORT_DEPRECATED.holds_for(sight.minor):
            lines.append("Flag --short has been deprecated, and will be removed in the future. The --short output will become the default.")
        return "".join(f"{text}\n" for text in lines)
    lines = [f"Client Version: {_version_text(sight.minor)}", *([f"Kustomize Version: {kustomize}"] if kustomize else [])]
    lines += [] if line.has("client") else [f"Server Version: {_version_text(sight.minor)}"]
    return "".join(f"{text}\n" for text in lines)


def version_document(minor: int) -> Json:
    """The output of ``/version``: the release whose rules the run follows, without the build details of a binary, which a
    run does not have."""
    return {
        "major": "1",
        "minor": str(minor),
        "gitVersion": f"v1.{minor}.0",
        "gitCommit": "0" * 40,
        "gitTreeState": "clean",
        "buildDate": _BUILT,
        "goVersion": "go1.0",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def _version_text(minor: int) -> str:
    said = version_document(minor)
    if _SHORT.holds_for(minor):
        return str(said["gitVersion"])
    fields = ", ".join(f'{key[0].upper()}{key[1:]}:"{value}"' for key, value in said.items())
    return f"version.Info{{{fields}}}"


def _kinds(sight: Sight) -> list[KindInfo]:
    """The kinds that the cluster serves, core group first, as discovery lists them."""
    served = (*BUILT_IN, *(item.info for item in SAME_ELSEWHERE))
    names = {info.kind for info in served}
    custom = (info for info in custom_kinds(sight.world) if info.kind not in names)
    known = [info for info in (*served, *custom) if info.api_version(sight.minor)]
    return sorted(known, key=lambda info: (info.group, info.plural))


def api_resources(line: Line, sight: Sight) -> str:
    """The output of ``kubectl api-resources``. Raises BadLine."""
    if line.words:
        raise BadLine(f"error: unexpected arguments: [{' '.join(line.words)}]\nSee 'kubectl api-resources -h' for help and examples")
    found, output = _kinds(sight), line.value("output")
    if line.value("namespaced"):
        found = [info for info in found if info.namespaced is (line.value("namespaced") != "false")]
    if "api-group" in line.flags:
        found = [info for info in found if info.group == line.value("api-group")]
    for verb in filter(None, line.value("verbs").split(",")):
        found = [info for info in found if verb in verbs_of(info, sight.minor)]
    if line.value("categories"):
        found = [info for info in found if category_of(info) in line.value("categories").split(",")]
    if line.value("sort-by") in _SORTS:
        found = sorted(found, key=lambda info: getattr(info, _SORTS[line.value("sort-by")]))
    if output == "name":
        return "".join(f"{info.resource}\n" for info in found)
    if output not in ("", "wide"):
        raise BadLine(f"error: --output {output} is not available")
    commas = _COMMAS.holds_for(sight.minor)
    wide = (["VERBS", "CATEGORIES"] if commas else ["VERBS"]) if output else []
    head = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", *wide]
    rows = [[*_resource(info, sight), *(_verbs(info, sight.minor, commas=commas) if output else [])] for info in found]
    shown = [*([] if line.has("no-headers") else [head]), *rows]
    return table(shown) if shown else ""


def _resource(info: KindInfo, sight: Sight) -> list[str]:
    names = ",".join(sorted(info.short_names))
    return [info.plural, names, info.api_version(sight.minor), "true" if info.namespaced else "false", info.kind]


def _verbs(info: KindInfo, minor: int, *, commas: bool) -> list[str]:
    verbs = verbs_of(info, minor)
    return [",".join(verbs), category_of(info)] if commas else [f"[{' '.join(verbs)}]"]


def api_versions(line: Line, sight: Sight) -> str:
    """The output of ``kubectl api-versions``. Raises BadLine."""
    if line.words:
        raise BadLine(f"error: unexpected arguments: [{' '.join(line.words)}]\nSee 'kubectl api-versions -h' for help and examples")
    found = {name for info in _kinds(sight) for name in info.api_versions(sight.minor)}
    found |= {f"{item.group}/{item.version}" for item in OTHER_VERSIONS if item.holds_for(sight.minor)}
    return "".join(f"{name}\n" for name in sorted(found))


def cluster_info(line: Line, sight: Sight) -> str:
    """The output of ``kubectl cluster-info``. Raises BadLine."""
    if line.words[:1] == ("dump",):
        raise BadLine("error: there are no files here; cluster-info dump is left out")
    more = "To further debug and diagnose cluster problems, use 'kubectl cluster-info dump'."
    return f"Kubernetes control plane is running at {SERVER}\n\n{more}\n"


def auth(line: Line, sight: Sight) -> str:
    """The output of ``kubectl auth can-i`` (yes unless ``--as`` names another user) and ``auth whoami``. Raises BadLine."""
    if line.words[:1] == ("whoami",):
        return _whoami(line, sight)
    if line.words and line.words[0] not in ("can-i", "reconcile"):
        raise BadLine(f"error: unknown command \"{line.words[0]}\"\nSee 'kubectl auth -h' for help and examples")
    if line.words[:1] != ("can-i",):
        raise BadLine("error: of kubectl auth this command line knows can-i; there is no RBAC in this simulation")
    if line.value("as-group") and not line.value("as"):
        uid = "uid, " if _AS_UID.holds_for(sight.minor) else ""
        raise BadLine(f"error: requesting {uid}groups or user-extra for {USER} without impersonating a user")
    if line.has("list"):
        if line.value("as"):
            raise BadLine("error: this command line does not list what another may do: ask for each with can-i VERB TYPE --as=USER")
        rows = [["Resources", "Non-Resource URLs", "Resource Names", "Verbs"], ["*.*", "[]", "[]", "[*]"], ["", "[*]", "[]", "[*]"]]
        return table(rows)
    words = line.words[1:]
    if len(words) not in (2, 3):
        new = "two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples."
        old = "two or three arguments: verb, resource, and optional resourceName"
        raise BadLine(f"error: you must specify {new if _TWO_WORDS.holds_for(sight.minor) else old}")
    said = _warned(words[1], sight)
    if words[0] not in _KNOWN_VERBS and not words[1].startswith("/"):
        said += f"Warning: verb '{words[0]}' is not a known verb\n" + ("\n" if _COMMAS.holds_for(sight.minor) else "")
    if line.value("as") and not may(user_of(line.value("as"), line.listed("as-group")), _access_wanted(line, words, sight), sight):
        raise EndedWith(said if line.has("quiet") else f"{said}no\n")
    return said if line.has("quiet") else f"{said}yes\n"


def _access_wanted(line: Line, words: tuple[str, ...], sight: Sight) -> AccessWanted:
    """What can-i asks for: ``VERB TYPE``, ``VERB TYPE/NAME`` or ``VERB /PATH``."""
    if words[1].startswith("/"):
        return AccessWanted(verb=words[0], url=words[1])
    resource, _, name = words[1].partition("/")
    name = words[2] if len(words) > 2 else name
    space = namespace_of(line, sight)
    try:
        info = find_kind(resource, sight) if resource != "*" else None
    except BadLine:
        info = None
    plural, group = (info.plural, info.group) if info is not None else (resource.partition(".")[0], resource.partition(".")[2])
    if resource == "*":
        group = "*"
    subresource = f"/{line.value('subresource')}" if line.value("subresource") else ""
    return AccessWanted(verb=words[0], group=group, resource=f"{plural}{subresource}", name=name, namespace=space)


def _whoami(line: Line, sight: Sight) -> str:
    """The user: the cluster's administrator, in versions whose API can tell."""
    if not _WHOAMI.holds_for(sight.minor):
        raise BadLine("error: unknown command \"whoami\"\nSee 'kubectl auth -h' for help and examples")
    if not _WHOAMI_ANSWERED.holds_for(sight.minor):
        raise BadLine(
            "error: the selfsubjectreviews API is not enabled in the cluster\n"
            "enable APISelfSubjectReview feature gate and authentication.k8s.io/v1alpha1 or authentication.k8s.io/v1beta1 API"
        )
    if line.value("output"):
        user = {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]}
        found = {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1", "metadata": {}, "status": {"userInfo": user}}
        return print_object(found, line.value("output"), full_name="selfsubjectreview.authentication.k8s.io/", line=line, sight=sight)
    return table([["ATTRIBUTE", "VALUE"], ["Username", "kubernetes-admin"], ["Groups", "[system:masters system:authenticated]"]])


def _warned(word: str, sight: Sight) -> str:
    """The client's warning about a resource that the server does not have, or that is not namespaced; it asks all the same."""
    resource = word.partition("/")[0]
    try:
        info = None if resource == "*" or word.startswith("/") else find_kind(resource, sight)
    except BadLine:
        break_line = "\n" if _COMMAS.holds_for(sight.minor) else ""
        return f"Warning: the server doesn't have a resource type '{resource}'\n{break_line}"
    where = f" in group '{info.group}'" if info is not None and info.group else ""
    if info is None or info.namespaced:
        return ""
    return f"Warning: resource '{info.plural}' is not namespace scoped{where}\n" + ("\n" if _COMMAS.holds_for(sight.minor) else "")
