"""Golden diagnoses: what is said about kubectl's outputs of a cluster with pods in trouble, and about pods that were pasted.

``golden/examined.txt`` is written by ``make golden``.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from simulator.headless.session import Session
from simulator.remedies.trouble import Trouble, examined
from tests.engine.worlds import container, header, pod, run
from tests.imports.test_history import KINDS
from tests.imports.test_pasts import MADE, MOMENTS
from tests.remedies.test_trouble import DESCRIBED, EVENTS, PODS

NGINX = {"name": "app", "image": "nginx:1.16.1"}
LIMITED = {"resources": {"limits": {"memory": "8Mi"}}}
SECRET = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "key", "key": "a"}}}
VOLUME = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
FAILING = {"exec": {"command": ["false"]}, "periodSeconds": 5, "failureThreshold": 1}
TROUBLED = (
    pod(container("echo broken; exit 3"), name="crashing"),
    pod(container("exit 0"), name="ending"),
    pod(container("nosuchprogram"), name="missing-program"),
    pod({**NGINX, "image": "nosuch/app:1"}, name="missing-image"),
    pod({**NGINX, "image": "nginx:1.27:x"}, name="bad-image"),
    pod({**NGINX, "env": [SECRET]}, name="missing-secret"),
    pod({**NGINX, **VOLUME}, name="missing-volume", volumes=[{"name": "v", "configMap": {"name": "nope"}}]),
    pod({**NGINX, "readinessProbe": FAILING}, name="unready"),
    pod({**NGINX, "livenessProbe": FAILING}, name="unwell"),
    pod({**NGINX, "startupProbe": {**FAILING, "failureThreshold": 3}}, name="unstarted"),
    pod(container("x=; while :; do x=$x$x$(head -c 1000000 /dev/zero); done", **LIMITED), name="greedy"),
    pod(NGINX, name="nowhere", nodeSelector={"disk": "ssd"}),
    pod({**NGINX, "resources": {"requests": {"cpu": "500"}}}, name="large"),
    pod(NGINX, name="waiting", initContainers=[container("exit 1", name="init")]),
    pod(NGINX, name="gated", schedulingGates=[{"name": "a"}]),
    pod(container("sleep 30; exit 0"), name="late", restartPolicy="Never", activeDeadlineSeconds=10),
    pod(NGINX, name="well"),
)
LINES = ("get pods", "get pods -o wide", "get events", "describe pods", "get pods -o yaml", "get pods -o json", "get pods,events -o yaml")


def texts() -> Iterator[tuple[str, str]]:
    """Each text by its title."""
    for version in ("1.20", "1.37"):
        session = Session(*run(header(*TROUBLED, kubernetes=version), 120), now_ms=120_000)
        yield from ((f"{line} of {version}", session.ask(f"kubectl {line}")) for line in LINES)
    yield from (("described", DESCRIBED), ("a table of pods", PODS), ("a table of events", EVENTS))
    yield from MADE.items()
    yield from ((word, json.dumps(document)) for word, document in KINDS.items())
    yield from ((moment["title"], json.dumps({"kind": "List", "items": moment["objects"]})) for moment in MOMENTS)


def told(trouble: Trouble) -> Iterator[str]:
    yield f"  {trouble.namespace}/{trouble.pod} {trouble.container or '-'} {trouble.kind} {trouble.word} {trouble.of}".rstrip()
    yield f"    {'shown' if trouble.is_shown else 'usual'}: {trouble.cause.text}"
    yield f"    $ {trouble.step.line} | $ {trouble.look.line}"
    yield from (f"    {quote.line}: {quote.text}" for quote in trouble.quotes)


def test_each_text_is_diagnosed_as_before(golden: Callable[[Path, str], None]) -> None:
    lines = []
    for title, text in texts():
        found = examined(text)
        lines += (f"== {title}: well {', '.join(found.well)}", *(line for trouble in found.troubles for line in told(trouble)))
    golden(Path(__file__).parent / "golden" / "examined.txt", "\n".join(lines) + "\n")
