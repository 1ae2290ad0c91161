"""The output of a real 1.20.2 cluster and its kubectl for 194 lines in sequence, compared with an equivalent run.

``recorded/cluster_1_20.json`` has the lines in order with both output streams (long texts are cut) and the exit code (``code``, unless it
is 0), the manifests, which were rebuilt from the answers, and in between, without a name, lines that are missing in the recording but
whose effect it shows. Ids, ages, addresses and file names are masked; lines without a defined order are compared as a set.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simulator.engine import advance
from simulator.headless.session import Session
from tests.engine.worlds import header, run

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("recorded").joinpath("cluster_1_20.json").read_text())
MANIFESTS: dict[str, str] = RECORDED["manifests"]
LINES: list[dict[str, Any]] = RECORDED["lines"]
NAMED = {line["name"]: line for line in LINES if "name" in line}
PRIORITY = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: hi}\nvalue: 1000\n"

_OTHER_CLUSTER = "the recorded cluster had something else in it: another client's pod, no StorageClass, no metrics-server"
_NODE = "hardware, images and software of the recorded node"
_MEANWHILE = "other clients wrote at the same time, and what they wrote is not kept"
_INSTANT = "which second an event fell into"
_TERMINAL = "the recorded client had no terminal, or a port of its own"
OTHERWISE = {
    "version": "the build of the recorded binary",
    "get-pods-A-wide": _OTHER_CLUSTER,
    "get-sc": _OTHER_CLUSTER,
    "top-pods": _OTHER_CLUSTER,
    "top-nodes": _OTHER_CLUSTER,
    "api-resources": _OTHER_CLUSTER,
    "api-versions": _OTHER_CLUSTER,
    "get-node-yaml": _NODE,
    "logs-previous": f"{_NODE}: it had lost the files of its logs",
    "logs-allc": f"{_NODE}: it had lost the files of its logs",
    "describe-pod-imageerror": f"{_NODE}: it reached no registry",
    "get-events-sort": "Events of one second in no order, cut",
    "describe-pod-probes": _INSTANT,
    "n-wait": _INSTANT,
    "describe-pod-unschedulable": _MEANWHILE,
    "drain-ok": _MEANWHILE,
    "get-terminating": _MEANWHILE,
    "get-pods-w": _MEANWHILE,
    "get-pods-watchonly-wide": _MEANWHILE,
    "get-pod-w-name": _MEANWHILE,
    "get-pods-w-fields": _MEANWHILE,
    "exec-tty": _TERMINAL,
    "attach": _TERMINAL,
    "port-forward-pod": _TERMINAL,
    "run-rm": "the recorded client was attached too late to see the output, which a tab shows from its beginning",
    "drain-dryrun": "kubectl 1.20 cannot try evictions: a defect of its own",
}
"""The lines with a different answer, with the reason."""
_INTERRUPTED = "the recorder ended the client with ^C"
CODES_OTHERWISE = {
    "top-pods": _OTHER_CLUSTER,
    "top-nodes": _OTHER_CLUSTER,
    "get-pods-w": _INTERRUPTED,
    "get-pods-watchonly-wide": _INTERRUPTED,
    "get-pods-w-fields": _INTERRUPTED,
    "attach": _INTERRUPTED,
    "port-forward-pod": _INTERRUPTED,
    "drain-dryrun": OTHERWISE["drain-dryrun"],
}
"""The lines that end with another exit code, with the reason."""
_IMAGES = (("docker.io/library/busybox@", ""), ("docker.io/library/alpine:latest", "docker.io/library/busybox:1.28"), ("STDIN", "<path>"))
_MASKS = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"v1\.20\.\d", "v1.20.x"),
        (r"\bline \d+", "line N"),
        (r"/tmp/\w+[^\s\]]*(?= /|\n|\]|; )|<path>", "<path>"),
        (r'start exec "\w+"', "start exec"),
        (r"\b[0-9a-f]{40}\b", "COMMIT"),
        (r"go1[.\d]+", "GO"),
        (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| \+0000)", "DATE"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "UID"),
        (r"\b(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+s\b|\b\d+m\b|<invalid>", "AGE"),
        (r"\b10\.\d+\.\d+\.\d+", "IP"),
        (r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b", "-RANDOM"),
        (r"-[0-9a-f]{8,10}(?=-)|(?<=-|=)[bcdfghjklmnpqrstvwxz2456789]{7,10}\b", "-HASH"),
        (r"containerd://[0-9a-f]{64}", "CONTAINER"),
        (r"sha256:[0-9a-f]{64}", "IMAGE"),
        (r'"?resourceVersion"?: "\d+"', "RV"),
        (r"[^\s]*(?=\tDATE)", "<path>"),
        (r"-{3,}[- ]*", "---"),
        (r" +", " "),
    )
)
_CUT = re.compile(r"[^\n]*… \(\d+ characters\)\n?$")


def masked(text: str) -> str:
    for old, new in _IMAGES:
        text = text.replace(old, new)
    for pattern, name in _MASKS:
        text = pattern.sub(name, text)
    return text.strip()


def is_same(said: str, line: dict[str, Any]) -> bool:
    recorded = line.get("out", "") + line.get("err", "")
    if _CUT.search(recorded):
        wanted = masked(_CUT.sub("", recorded))
        return masked(said).startswith(wanted)
    # The two streams are interleaved arbitrarily, and so is the order of the client's maps.
    return sorted(map(str.strip, masked(said).splitlines())) == sorted(map(str.strip, masked(recorded).splitlines()))


def ask(session: Session, line: str, text: str = "") -> str:
    return session.ask(f"kubectl {line}" + (f" <<'EOF'\n{text}EOF" if text else ""))


def let_pass(session: Session, ms: int) -> None:
    session.now_ms += ms
    session.records += advance(session.world, until_ms=session.now_ms).records


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[str, int]]:
    nodes = [{"name": "node1"}, {"name": "node2", "taints": ["dedicated=node2:NoSchedule"]}]
    begun = header(kubernetes="1.20", nodes=nodes, images=("busybox:1.29",), namespace="k120w")
    session = Session(*run(begun, 60), now_ms=60_000)
    ask(session, "apply -f -", PRIORITY + "---\n" + MANIFESTS["states.yaml"])
    let_pass(session, 147_000)
    ask(session, "delete pod terminating -n states --wait=false")
    let_pass(session, 446_000)
    found = {}
    for line in LINES:
        said = ask(session, line["line"], line.get("text") or MANIFESTS.get(line.get("input", ""), ""))
        found[line.get("name", "")] = said, session.exit_code
        let_pass(session, line.get("ms", 200))
    return found


@pytest.mark.parametrize("name", NAMED)
def test_a_line_is_answered_as_the_recorded_cluster_did(answers: dict[str, tuple[str, int]], name: str) -> None:
    said, _ = answers[name]
    assert is_same(said, NAMED[name]) is (name not in OTHERWISE), (NAMED[name]["line"], said)


@pytest.mark.parametrize("name", NAMED)
def test_a_line_ends_with_the_exit_code_of_the_recorded_client(answers: dict[str, tuple[str, int]], name: str) -> None:
    said, code = answers[name]
    assert (code == NAMED[name].get("code", 0)) is (name not in CODES_OTHERWISE), (NAMED[name]["line"], code, said)
