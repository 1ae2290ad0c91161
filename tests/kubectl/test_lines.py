"""What the kubectl tab prints for each of the lines that are compared with real kubectls (``tests/door/test_tab_and_kubectl.py``).

Those comparisons take minutes, so each run makes a few of them. The outputs that they were made with are kept here: an unintended change is
seen at once, and an intended one is to be compared again (``pytest tests/door/test_tab_and_kubectl.py --all-stories``). After them
come lines about objects of many kinds (``kinds.yaml``), which that cluster does not have.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from simulator.headless.session import Session
from tests.door.comparing import session_of
from tests.door.lines_to_compare import reading, writing

KINDS = Path(__file__).with_name("kinds.yaml").read_text(encoding="utf-8")
STORED = (
    "svc", "ep", "endpointslices", "ingresses", "ingressclasses", "networkpolicies", "roles", "rolebindings", "clusterroles/health",
    "clusterrolebindings/health", "secrets", "cm", "limits", "quota", "pv", "pvc", "sc", "pc", "rc", "crds", "shops", "sh/corner",
)  # fmt: skip
EXPLAINING = tuple(f"explain shop.{path}" for path in (
    "spec", "spec.size", "spec.kind", "spec.tags", "spec.labels", "spec.parts", "spec.parts.weight", "spec.port", "spec.anything",
    "spec.perhaps", "spec.nope", "metadata", "metadata.labels", "kind",
))  # fmt: skip
SELECTING = tuple(f"get pods -l '{selector}' -o name" for selector in (
    "app=web", "app==web", "app!=web", "app in (web,db)", "app notin (web, db)", "app", "!app",
    "app,tier", "app in ()", "a b", "=", "app=(x",
))  # fmt: skip
TYPED = (
    "get -f nosuch", "get -f -", "get pods -f -", "describe -f -", "delete -f nosuch",
    "taint node node1 a=b=c:NoSchedule", "taint node node1 a=b,c:NoSchedule", "taint node node1 a:b:c", "taint node node1 -",
    "taint node node1 a", "taint node node1 a:Sometimes", "taint node node1 a=b", "taint node node1 a-", "taint node node1 a:NoSchedule-",
    "get pods | awk ''", "get pods | awk '}{'", "get pods | awk -F", "get pods | awk -F, '{print $1}'", "get pods | awk 'END{print NR}'",
    "get pods -o go-template='{{)}}'", "get pods -o go-template='{{(.items).a}}'", "get pods -o jsonpath='{.items[?(@.x==1'",
    "describe pdb", "describe hpa", "get pdb -o wide", "get hpa", "get pods nosuch plain two", "get pods plain nosuch -o name",
    "set resources deploy/web --limits=cpu", "set resources deploy/web --limits=cpu=1=2", "set resources deploy/web --limits==1",
    "set resources deploy/web --requests=cpu=1,memory", "set resources deploy/web --limits=cpu=1,memory=1Gi --requests=cpu=500m -o yaml",
    "set resources deploy/web --limits=cpu=0", "set resources deploy/web", "set env deploy/web A=b C-", "set env deploy/web A",
    "set env deploy/web =b",
    "set image deploy/web web", "set image deploy/web web=", "set image deploy/web *=nginx:1.17", "set image deploy/web nope=nginx:1.17",
    "apply view-last-applied pod/plain", "apply view-last-applied pod/agent-b2d5v", "apply view-last-applied cm/settings -o json",
)  # fmt: skip
SHOWN_MAX = 8
"""So many lines of an output are kept in full; more of them only as a digest."""


def told(session: Session, line: str, given: str) -> Iterator[str]:
    """A line, its output as it is kept, and its exit code unless that is 0."""
    asked = Session(session.world, session.records, now_ms=session.now_ms)
    said = asked.ask(f"kubectl {line}" + (f" <<'EOF'\n{given}EOF" if given else ""))
    first = given.partition("metadata: ")[2].partition("\n")[0]
    yield f"$ kubectl {line}" + (f" < {first}" if given else "")
    lines = said.splitlines()
    yield from (f"  {text}".rstrip() for text in lines[:SHOWN_MAX])
    if len(lines) > SHOWN_MAX:
        yield f"  … {len(lines)} lines, {hashlib.sha256(said.encode()).hexdigest()[:16]}"
    if asked.exit_code:
        yield f"  exit {asked.exit_code}"


def of_kinds(session: Session) -> Iterator[str]:
    """Objects of many kinds in each form, and the fields of a custom one."""
    for document in KINDS.split("---\n"):
        yield from told(session, "apply -f -", document)
        session.ask(f"kubectl apply -f - <<'EOF'\n{document}EOF")
    for kind in STORED:
        for line in ("get {}", "get {} -o wide", "get {} -A --no-headers", "describe {}", "get {} -o yaml", "explain {} --recursive"):
            yield from told(session, line.format(kind), "")
    for line in (*SELECTING, *EXPLAINING, *TYPED):
        yield from told(session, line, "")


def test_each_line_prints_what_it_printed_when_it_was_compared(golden: Callable[[Path, str], None]) -> None:
    text = ""
    for version in ("1.20", "1.37"):
        session = session_of(version)
        lines = (text for line, given in (*reading(), *writing()) for text in told(session, line, given))
        text += "\n".join((f"== {version}", *lines, *of_kinds(session))) + "\n"
    golden(Path(__file__).parent / "golden" / "lines.txt", text)
