"""The cluster and the lines for comparing the kubectl tab with real kubectls: each verb with its output formats and its refusals."""

from collections.abc import Iterator
from pathlib import Path

NAMESPACE = "shop"
_FOLDER = Path(__file__).parent / "lines"
CLUSTER = (_FOLDER / "cluster.yaml").read_text()
_PARTS = CLUSTER.split("---\n")
_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: shop, labels: {app: made}}
spec: {terminationGracePeriodSeconds: 1, containers: [{name: app, image: "busybox:1.28", command: [sleep, "100000"]}]}
"""


def _pod(name: str) -> str:
    return _POD.replace("NAME", name)


def _part(head: str) -> str:
    return next(part for part in _PARTS if head in part)


_PLAIN, _WEB = _part("name: plain,"), "---\n".join((_part("kind: Deployment"), _part("kind: Service")))
INPUTS = {
    "NEW": _pod("new"),
    "PLAIN": _PLAIN,
    "CHANGED": _PLAIN.replace("busybox:1.28", "busybox:1.29"),
    "FORBIDDEN": _PLAIN.replace("sleep 1;", "sleep 2;"),
    "TYPO": _pod("typo").replace("image:", "imagge:"),
    "WRONG": _pod("wrong").replace('[sleep, "100000"]', "[sleep, 5]"),
    "INVALID": _pod("invalid").replace("terminationGracePeriodSeconds: 1", "restartPolicy: Sometimes"),
    "NO_KIND": _pod("podd").replace("kind: Pod", "kind: Podd"),
    "GENERATED": _pod("x").replace("name: x", "generateName: gen-"),
    "ABSENT": _pod("absent").replace("namespace: shop", "namespace: nosuch"),
    "WEB": _WEB,
    "WEB3": _WEB.replace("replicas: 2", "replicas: 3"),
    "MAP": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\ndata: {a: b}\n",
    "SETTINGS": _part("name: settings,").replace("key: value", "key: changed"),
    "NOTHING": "a: b\n",
}
"""Standard input of lines, by the name after their ``<``."""


def reading() -> Iterator[tuple[str, str]]:
    """The read-only lines, each with its standard input."""
    return _lines("reads.txt")


def writing() -> Iterator[tuple[str, str]]:
    """The lines that change something, or try to."""
    return _lines("writes.txt")


def _lines(file: str) -> Iterator[tuple[str, str]]:
    for text in (_FOLDER / file).read_text().splitlines():
        line, _, name = text.partition(" < ")
        yield line, INPUTS[name] if name else ""
