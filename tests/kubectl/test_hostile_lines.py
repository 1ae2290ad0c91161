"""Numbers, texts and nesting on a kubectl line: a message, and a world that goes on and can be shown."""

import pytest

from simulator.engine import advance, new_world
from simulator.engine.course.header import RunHeader
from simulator.headless.session import Session
from simulator.kubectl.kubectl import LINE_MAX
from simulator.manifests.check.check import check_text
from simulator.manifests.script.cluster import default_cluster

MANIFESTS = """\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, '3600']}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, '3600']}]}
"""
NUMBERS = ("1e999999", "-1", "NaN", "Infinity", "0x10", "1_000", "１２", "٣", "²", "9" * 20, "9" * 300, "1e400", "99999999999h", "0.5", "")
TEXTS = ("\x00", "a\x00b", "\ud800", "\u202eab", "x" * 300, "[" * 150, "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59")
LINES = (
    "logs web --tail={}", "logs web --limit-bytes={}", "logs web --since={}", "logs web --since-time={}",
    "delete pod web --grace-period={}",
    "delete pod web --timeout={}", "scale deployment shop --replicas={}", "scale deployment shop --replicas=1 --current-replicas={}",
    "autoscale deployment shop --max={}", "autoscale deployment shop --min={} --max=3",
    "autoscale deployment shop --max=3 --cpu-percent={}",
    "rollout undo deployment shop --to-revision={}", "rollout history deployment shop --revision={}", "evict web --grace-period={}",
    "drain node-1 --timeout={}", "drain node-1 --grace-period={}", "run new --image=nginx --port={}", "run {} --image=nginx",
    "run new --image={}", "label pod web a={}", "annotate pod web a={}", "taint node node-1 a={}:NoSchedule", "get pod {}",
    "describe pod {}",
    "get pods -l app={}", "get pods --field-selector=metadata.name={}", "get pods --sort-by={}", "get pods -n {}", "exec web -- echo {}",
    "exec web -- sleep {}", "exec web -- head -c {} /etc/hosts", "exec web -- seq {}", "exec web -- date -d @{}", "debug web --image={}",
    "set image pod/web app={}", "events --for=pod/{}", "top pod {}", "{}",
    "get pods -o jsonpath='{}'", "get pods -o jsonpath='{{.items[{}].metadata}}'", "get pods -o custom-columns=A:{}",
    "get pods -o go-template='{}'", "get pods | grep '{}'", "get pods | head -n {}", "create deployment new --image=nginx --replicas={}",
    "create cm new --from-literal=a='{}'", "create service clusterip new --tcp={}", "expose pod web --port={}",
    "create quota new --hard=pods={}", "run new --image=nginx --overrides='{}'", "create pdb new --selector='{}' --min-available={}",
    "run {} --image={} --dry-run=server", "expose deploy shop --port={} --dry-run=client -o yaml",
    "wait --for=jsonpath='{}'={} pod/web --timeout=0", "wait --for={} pod/web --timeout=0", "explain {}", "explain pod.{}.{}", "help {}",
    "set env deploy/shop A={}", "get {}.{}", "auth can-i {} {}", "api-resources -o {}", "get pods | awk '{}'", "get pods | sort -k {}",
    "create --raw /api/v1/namespaces/default/pods/web/binding -f - {}",
    """patch pod web -p '{{"metadata":{{"annotations":{{"a":"{}"}}}}}}'""", """patch deployment shop -p '{{"spec":{{"replicas":{}}}}}'""",
    """patch pod web -p '{}'""", """patch deployment shop -p 'spec: {{replicas: {}}}'""", """patch deployment shop --type=merge -p '{}'""",
    """patch pod web --subresource=status -p '{{"status":{{"startTime":"{}"}}}}'""",
    """patch pod web --type=json -p '[{{"op":"add","path":"/spec/containers/{}","value":{{}}}}]'""",
    """patch pod web --type=json -p '[{{"op":"add","path":"/metadata/labels/a","value":"{}"}}]'""",
)  # fmt: skip


@pytest.fixture(scope="module")
def begun():
    checked = check_text(MANIFESTS, kubernetes="1.33")
    header = RunHeader(kubernetes="1.33", manifests=tuple(each.json for each in checked.documents), cluster=default_cluster())
    world = new_world(header)
    return world, (*world.first_records, *advance(world, until_ms=30_000).records)


def session_of(begun) -> Session:
    return Session(begun[0], begun[1], now_ms=30_000)


@pytest.mark.parametrize("line", LINES)
def test_line_with_any_value_is_answered_and_the_world_goes_on(begun, line):
    for value in (*NUMBERS, *TEXTS):
        session = session_of(begun)
        try:
            assert isinstance(session.ask(line.format(*[value] * 2)), str)
            advance(session.world, until_ms=60_000)
            for shown in ("get all -o yaml", "describe pods", "describe deployments", "get pods -o wide", "get events"):
                assert session.ask(shown)
        except Exception as error:
            raise AssertionError(f"{line.format(*[value] * 2)[:200]!a}: {type(error).__name__}: {error}") from error


def test_patch_that_is_nested_too_deep_is_refused_with_a_message(begun):
    deep = "[" * 120 + "]" * 120
    assert len(deep) < LINE_MAX and "exceeded max depth" in session_of(begun).ask(f"patch pod web -p '{deep}'")


def test_patch_that_grows_by_its_aliases_is_refused_for_them(begun):
    laughs = "a: &a [1,1,1,1]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d]\nf: [*e,*e,*e,*e]"
    assert "it has more than 10 aliases" in session_of(begun).ask(f"patch pod web -p '{laughs}'")
