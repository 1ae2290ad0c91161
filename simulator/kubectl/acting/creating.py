"""Lines that generate objects from flags: ``run``, ``create KIND``, ``expose``; and what their dry runs print.

Source: kubectl pkg/cmd/create/create.go (what follows the creation), k8s.io/cli-runtime pkg/genericclioptions.
"""

import json
from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.span import Span
from simulator.kubectl.acting.action import KubectlAction, Step, in_name_of, made
from simulator.kubectl.acting.applying import annotated
from simulator.kubectl.acting.attached import Attachment
from simulator.kubectl.acting.change_cause import with_cause
from simulator.kubectl.acting.debugging import attached_words
from simulator.kubectl.acting.printing import printed
from simulator.kubectl.durations import BadDuration, duration_of, seconds_of
from simulator.kubectl.find import namespace_of
from simulator.kubectl.generators import access, services, stored, workloads
from simulator.kubectl.generators import run as running
from simulator.kubectl.generators.base import Generated, name_of
from simulator.kubectl.line import BadLine, EndedWith, Grammar, Line, grammar, parse_words, unknown_flag
from simulator.kubectl.output.printer import print_object
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.tokens import HOUR_S, account_of, token_request

_SHARED = "save-config windows-line-endings"
_SHARED_VALUED = "output template field-manager filename"
_MAYBE = {"validate": "true", "show-managed-fields": "true", "allow-missing-template-keys": "true", "record": "true", "dry-run": "client"}
_UNEXPECTED = Span(since=31)
_DASHES_TWICE = Span(until=36)
_TOKEN = grammar(
    "", "audience duration output template bound-object-kind bound-object-name bound-object-uid",
    {name: _MAYBE[name] for name in ("show-managed-fields", "allow-missing-template-keys")},
)  # fmt: skip
_TOKENS = Span(since=24)


class _Creator(Struct, frozen=True):
    """A subcommand of ``kubectl create``: its full name, its flags, and the function that generates the object."""

    name: str
    flags: Grammar
    make: Callable[[Line, Sight], Generated]

    def failing(self, document: Json, minor: int) -> str:
        """The text in front of the server's message when it refuses the object."""
        if self.name == "namespace" or (self.name in _PLAIN and _PLAINLY.holds_for(minor)):
            return ""
        if self.name == "service":
            return f"failed to create {document['spec']['type']} service: "
        if self.name == "priorityclass" and _PLAINLY.holds_for(minor):
            return "failed to create clusterrolebinding: "  # a slip of that version
        return _FAILING.get(self.name, f"failed to create {self.name}: ")


_PLAIN, _PLAINLY = ("secret", "configmap"), Span(until=20)
"""The kinds for which kubectl printed the server's message without a prefix; seen with 1.20 and 1.24."""
_FAILING = {"secret": "failed to create secret ", "poddisruptionbudget": "failed to create poddisruptionbudgets: "}


def _flags(switches: str = "", valued: str = "", **short: str) -> Grammar:
    maybe = {name: value for name, value in _MAYBE.items() if name != "record"}
    return grammar(f"{_SHARED} {switches}", f"{_SHARED_VALUED} {valued}", maybe, f="filename", **short)


_LITERALS = "from-literal from-file from-env-file"
_CREATORS = (
    (("deployment", "deploy"), _Creator("deployment", _flags("", "image replicas port", r="replicas"), workloads.deployment)),
    (("job",), _Creator("job", _flags("", "image from"), workloads.job)),
    (("cronjob", "cj"), _Creator("cronjob", _flags("", "image schedule restart"), workloads.cron_job)),
    (("configmap", "cm"), _Creator("configmap", _flags("append-hash", _LITERALS), stored.config_map)),
    (
        ("secret",),
        _Creator(
            "secret",
            _flags("append-hash", f"{_LITERALS} type cert key docker-username docker-password docker-email docker-server"),
            stored.secret,
        ),
    ),
    (("namespace", "ns"), _Creator("namespace", _flags(), stored.namespace)),
    (("serviceaccount", "sa"), _Creator("serviceaccount", _flags(), stored.service_account)),
    (("service", "svc"), _Creator("service", _flags("", "tcp clusterip node-port external-name"), services.service)),
    (("quota", "resourcequota"), _Creator("quota", _flags("", "hard scopes"), stored.quota)),
    (("poddisruptionbudget", "pdb"), _Creator("poddisruptionbudget", _flags("", "selector min-available max-unavailable"), stored.budget)),
    (
        ("role",),
        _Creator("role", _flags("", "verb resource resource-name"), access.role),
    ),
    (
        ("clusterrole",),
        _Creator("clusterrole", _flags("", "verb resource resource-name non-resource-url aggregation-rule"), access.cluster_role),
    ),
    (("rolebinding",), _Creator("rolebinding", _flags("", "role clusterrole user group serviceaccount"), access.role_binding)),
    (
        ("clusterrolebinding",),
        _Creator("clusterrolebinding", _flags("", "clusterrole user group serviceaccount"), access.cluster_role_binding),
    ),
    (("ingress", "ing"), _Creator("ingress", _flags("", "rule class default-backend annotation"), access.ingress)),
    (
        ("priorityclass", "pc"),
        _Creator("priorityclass", _flags("global-default", "value description preemption-policy"), stored.priority_class),
    ),
)
_BEFORE = ("-n", "--namespace", "-o", "--output")
_BY_WORD = {word: creator for words, creator in _CREATORS for word in words}
RUN = grammar(
    f"{_SHARED} command expose stdin tty attach rm quiet privileged leave-stdin-open force",
    f"{_SHARED_VALUED} image restart port labels env annotations image-pull-policy overrides override-type limits requests serviceaccount"
    f" hostport pod-running-timeout timeout grace-period {' '.join(running.NO_EFFECT)}",
    _MAYBE, i="stdin", t="tty", q="quiet", l="labels", f="filename",
)  # fmt: skip
"""The flags of ``kubectl run``."""
EXPOSE = grammar(
    f"{_SHARED} recursive",
    f"{_SHARED_VALUED} port target-port name type protocol selector labels cluster-ip external-ip session-affinity load-balancer-ip"
    " overrides override-type generator",
    _MAYBE, l="labels", f="filename",
)  # fmt: skip
"""The flags of ``kubectl expose``."""
GENERATING = ("run", "create", "expose")
"""The verbs that generate objects from flags."""


def is_generating(words: list[str], verb: str) -> bool:
    """Whether a line generates objects from flags rather than reading a manifest."""
    if verb != "create":
        return verb in GENERATING
    plain = [word for word in words[: words.index("--") if "--" in words else len(words)] if not word.startswith("-")]
    return len(plain) > 1 and "--raw" not in words and not any(word.startswith(("-f", "--filename")) for word in words)


def _generated(words: list[str], verb: str, sight: Sight) -> tuple[Line, list[Generated], list[str]]:
    """The parsed line, its objects in order, and the errors for names that match no object. Raises BadLine."""
    if verb == "run":
        line = parse_words(words, verb, RUN)
        return line, running.run(line, sight), []
    if verb == "expose":
        line = parse_words(words, verb, EXPOSE)
        return line, *services.expose(line, sight)
    kind = _place_of_kind(words)
    creator = _BY_WORD.get(words[kind].lower())
    if creator is None:
        given = (word for n, word in enumerate(words) if n >= kind and not word.startswith("-") and words[n - 1] not in _BEFORE)
        raise BadLine(_unknown(" ".join(given), sight))
    line = parse_words([*words[:kind], *words[kind + 1 :]], f"create {creator.name}", creator.flags)
    made_of = creator.make(line, sight)
    return line, [replace(made_of, failing=creator.failing(made_of.document, sight.minor))], []


def _place_of_kind(words: list[str]) -> int:
    """The index of the second word that is neither a flag nor the value of a flag that may come first."""
    plain = [n for n, word in enumerate(words) if not word.startswith("-") and (n == 0 or words[n - 1] not in _BEFORE)]
    return plain[1] if len(plain) > 1 else plain[0]


def _unknown(word: str, sight: Sight) -> str:
    help_line = "See 'kubectl create -h' for help and examples"
    if _UNEXPECTED.holds_for(sight.minor):
        return f"error: Unexpected args: [{word}]\n{help_line}"
    return f'Error: must specify one of -f and -k\n\nerror: unknown command "{word}"\n{help_line}'


def generating(words: list[str], verb: str, sight: Sight, *, strategy: str = "") -> KubectlAction:
    """What ``run``, ``create KIND`` or ``expose`` does; ``strategy`` is the dry-run strategy. Raises BadLine."""
    if _is_token(words, verb, sight):
        return _token(words, sight)
    line, objects, errors = _generated(words, verb, sight)
    if verb == "run" and running.attaches(line):
        return _attaching(line, objects, sight)
    steps = [_step(item, line, sight) for item in objects]
    said = list(access.uncommon_verbs(line)) if line.verb.endswith("role") else running.deprecated_flags(line) if verb == "run" else []
    return with_cause(printed(in_name_of(made(steps, errors, said=said), line), line, sight, strategy=strategy), line, sight)


def _attaching(line: Line, objects: list[Generated], sight: Sight) -> KubectlAction:
    """What ``run`` does that attaches to its pod: it does not say that it made it. Raises BadLine."""
    space, is_told = namespace_of(line, sight), running.tells_what_it_made(sight.minor)
    steps = []
    for item in objects:
        is_pod = item.info.kind == "Pod"
        step = replace(_step(item, line, sight), is_attached=is_pod)
        steps.append(step if is_told and not is_pod else replace(step, done=""))
    try:
        timeout_ms = duration_of(line.value("pod-running-timeout") or "1m0s")
    except BadDuration as error:
        raise BadLine(f'error: invalid argument "{line.value("pod-running-timeout")}" for "--pod-running-timeout" flag: {error}') from None
    attachment = Attachment(
        namespace=space,
        name=line.words[0],
        restart=line.value("restart") or "Always",
        said=tuple(attached_words(line, sight)),
        timeout_ms=timeout_ms,
        removed=(("pod", "service") if line.has("expose") else ("pod",)) if line.has("rm") else (),
        holds_on=line.has("leave-stdin-open"),
        tty=line.has("tty"),
        quiet=line.has("quiet"),
    )
    return replace(in_name_of(made(steps, []), line), attached=attachment)


def _is_token(words: list[str], verb: str, sight: Sight) -> bool:
    return verb == "create" and words[_place_of_kind(words)] == "token" and _TOKENS.holds_for(sight.minor)


def _token(words: list[str], sight: Sight) -> KubectlAction:
    """What ``kubectl create token NAME`` prints; nothing is stored. Raises BadLine."""
    kind = _place_of_kind(words)
    line = parse_words([*words[:kind], *words[kind + 1 :]], "create token", _TOKEN)
    name, space = name_of(line, "create token"), namespace_of(line, sight)
    found = account_of(sight, space, name)
    if found is None:
        raise BadLine(f'error: failed to create token: serviceaccounts "{name}" not found')
    try:
        seconds = seconds_of(line.value("duration")) if line.value("duration") else HOUR_S
        request = token_request(found, sight, audiences=line.given("audience"), seconds=seconds)
    except BadDuration as error:
        raise BadLine(f'error: invalid argument "{line.value("duration")}" for "--duration" flag: {error}') from None
    except ApiError as error:
        raise BadLine(f"error: failed to create token: {error.answer.message}") from None
    if not line.value("output"):
        return KubectlAction(steps=(), said=(request["status"]["token"],))
    text = print_object(request, line.value("output"), full_name=f"tokenrequest.authentication.k8s.io/{name}", line=line, sight=sight)
    return KubectlAction(steps=(), said=(text.removesuffix("\n"),))


def _step(item: Generated, line: Line, sight: Sight) -> Step:
    # A namespace of the context gives the same command as one on the line.
    namespace = namespace_of(line, sight)
    sent = item.sent(namespace, in_order=bool(sight.chosen))
    document = annotated(sent) if line.has("save-config") else sent
    # Cluster-scoped kinds that are not modelled are stored without a namespace.
    space = namespace if item.info.namespaced or item.info.kind in KINDS else ""
    command = ApplyManifest(documents=(json.dumps(document),), namespace=document["metadata"].get("namespace") or space, create=True)
    return Step(command=command, done=f"{item.full_name} {item.word}", failing=item.failing)


def check_dry_run(words: list[str], verb: str, sight: Sight) -> None:
    """Raise BadLine for commands without a dry run: a token is issued or it is not."""
    if _is_token(words, verb, sight):
        raise unknown_flag("dry-run", "create token")


def dry_run_text(words: list[str], verb: str, sight: Sight) -> str:
    """What ``run``, ``create KIND`` or ``expose`` prints with ``--dry-run=client``. Raises BadLine."""
    line, objects, errors = _generated(words, verb, sight)
    said = running.deprecated_flags(line) if verb == "run" else []
    text = "".join([*(f"{text}\n" for text in said), *_texts(objects, line, sight), *(f"{text}\n" for text in errors)])
    if errors:
        raise EndedWith(text)
    return text


def _texts(objects: Iterable[Generated], line: Line, sight: Sight) -> Iterable[str]:
    output = line.value("output")
    for number, item in enumerate(objects):
        if not output:
            yield f"{item.full_name} {item.word} (dry run)\n"
            continue
        if output == "yaml" and number:
            # With an old client, run prints the separator itself and the printer adds another.
            yield "---\n" * (2 if line.verb == "run" and _DASHES_TWICE.holds_for(sight.minor) else 1)
        yield print_object(item.document, output, full_name=item.full_name, line=line, sight=sight)
