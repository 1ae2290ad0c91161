"""A line in the kubectl tab and in a real kubectl, at the same moment of the same cluster."""

import json
import re
import shlex
from pathlib import Path

from msgspec import Struct

from simulator.engine import advance
from simulator.headless.session import Session
from simulator.kubectl.context import CONTEXT, USER
from simulator.kubectl.line import WRITES
from tests.door.clients import Kubectl
from tests.door.lines_to_compare import CLUSTER, NAMESPACE
from tests.door.serving import Served
from tests.engine.worlds import header, run

_NODES = [{"name": "node1"}, {"name": "node2", "taints": ["dedicated=node2:NoSchedule"]}]
_RATE = 20
_WAITING = ("wait", "rollout")
_MASKS = (
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| \+0000)"), "DATE"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"), "UID"),
    (re.compile(r"(?:http://127.0.0.1:\d+/\S*?|https://kubernetes\.default\.svc)(?=[\s\"']|$)"), "SERVER"),
    (re.compile(r"^W\d{4} .* prune\.go.*\n", re.MULTILINE), ""),  # a note of kubectl to its developers, with its time and process
    (re.compile(r"/tmp/(LIVE|MERGED)[^/\s]*"), r"/tmp/\1"),
)
_OF_WRITES = (
    (re.compile(r"(resourceVersion\"?: )\"\d+\""), r"\1RV"),
    (re.compile(r"\b(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+s\b|\b\d+m\b"), "AGE"),
    (re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b"), "-RANDOM"),
)


class Answers(Struct, frozen=True):
    """The output and exit code of both; the tab shows everything that a terminal shows."""

    tab: str
    out: str
    err: str
    tab_code: int = 0
    code: int = 0

    @property
    def are_equal(self) -> bool:
        """Whether a terminal could show the same, with one exit code: the two streams of a real kubectl are interleaved arbitrarily."""
        if self.tab_code != self.code:
            return False
        return self.tab in (self.out + self.err, self.err + self.out) or sorted(self.tab.splitlines()) == sorted(
            (self.out + self.err).splitlines()
        )


def session_of(version: str) -> Session:
    """The cluster to compare on, ten minutes after its objects were applied."""
    begun = header(kubernetes=version, nodes=_NODES, images=("busybox:1.29", "nginx:1.17"), namespace=NAMESPACE)
    session = Session(*run(begun, 60), now_ms=60_000)
    said = session.ask(f"kubectl apply -f - <<'EOF'\n{CLUSTER}EOF")
    assert said.count(" created\n") == CLUSTER.count("\nkind:"), said
    pass_time(session, 600_000)
    return session


def pass_time(session: Session, ms: int) -> None:
    """Let time pass in a session."""
    session.now_ms += ms
    session.records += advance(session.world, until_ms=session.now_ms).records


def compared(line: str, text: str, session: Session, served: Served, client: Kubectl) -> Answers:
    """Both answers to a line with ``text`` on its standard input. The session is left unchanged."""
    words = shlex.split(line) or [""]
    writes = words[0] in WRITES or words[0] in _WAITING
    given = f" <<'EOF'\n{text}EOF" if text else ""
    asked = Session(session.world, session.records, now_ms=session.now_ms)
    tab = asked.ask(f"kubectl {line}{given}")
    served.stand_at(session.world.fork(), _RATE if writes else 0)
    done = client.run(*words, stdin=text)
    served.stand_at(session.world)
    texts = (masked(said, writes=writes) for said in (tab, done.stdout, done.stderr))
    return Answers(*texts, tab_code=asked.exit_code, code=done.returncode)


def masked(text: str, *, writes: bool) -> str:
    """The text without what depends on the clock or on chance."""
    for pattern, name in (*_MASKS, *(_OF_WRITES if writes else ())):
        text = pattern.sub(name, text)
    return text


def kubeconfig(home: Path, url: str) -> None:
    """Write the kubeconfig of a client that is not given its server: its context has the namespace of the lines."""
    named = {
        "clusters": [{"name": CONTEXT, "cluster": {"server": url}}],
        "users": [{"name": USER, "user": {}}],
        "contexts": [{"name": CONTEXT, "context": {"cluster": CONTEXT, "user": USER, "namespace": NAMESPACE}}],
    }
    (home / "none").write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": CONTEXT, **named}))
