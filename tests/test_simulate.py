"""``manage.py simulate`` from its inputs to its output."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.imports.kubectl import crashing

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  restartPolicy: Never
  containers:
  - {name: app, image: busybox:1.28, command: [sh, -c, sleep 3; exit 2]}
"""
SCRIPT = "- at: 10\n  delete: {kind: Pod, names: [p]}\n"


def simulate(folder: Path, *options: str, manifest: str = POD) -> str:
    (folder / "pod.yaml").write_text(manifest)
    out = StringIO()
    call_command("simulate", "-f", str(folder / "pod.yaml"), *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_simulate_prints_a_watch_table(tmp_path: Path) -> None:
    lines = simulate(tmp_path, "--for", "20s").splitlines()
    assert lines[0].split() == ["TIME", "NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert [line.split()[3] for line in lines[1:-1]] == ["Pending", "ContainerCreating", "Running", "Error"]


def test_simulate_parts_columns_where_a_word_is_long(tmp_path: Path) -> None:
    lacking = POD.replace("sleep 3; exit 2]}", "sleep 3], envFrom: [{configMapRef: {name: none}}]}")
    lines = simulate(tmp_path, "--for", "5s", manifest=lacking).splitlines()
    assert lines[-2].split()[1:5] == ["p", "0/1", "CreateContainerConfigError", "0"]


def test_simulate_refuses_a_manifest_that_admission_refuses(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD.replace("spec:", "spec:\n  priorityClassName: gold", 1))
    said = StringIO()
    with pytest.raises(CommandError, match="was not accepted"):
        call_command("simulate", "-f", str(tmp_path / "pod.yaml"), "--for", "1s", stdout=StringIO(), stderr=said)
    assert 'pod.yaml:5:22: error: pods "p" is forbidden: no PriorityClass with name gold was found' in said.getvalue()


def test_simulate_takes_what_one_file_brings_as_there_for_the_next(tmp_path: Path) -> None:
    (tmp_path / "class.yaml").write_text("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: gold}\nvalue: 5\n")
    (tmp_path / "pod.yaml").write_text(POD.replace("spec:", "spec:\n  priorityClassName: gold", 1))
    out, files = StringIO(), ("-f", str(tmp_path / "class.yaml"), "-f", str(tmp_path / "pod.yaml"))
    call_command("simulate", *files, "--for", "5s", "--format", "events", stdout=out, stderr=StringIO())
    assert "Successfully assigned" in out.getvalue()


def test_simulate_says_what_the_api_server_refused(tmp_path: Path) -> None:
    manifest = POD.replace("name: p", "name: q").replace("spec:", "spec:\n  priorityClassName: gold", 1)
    (tmp_path / "script.yaml").write_text(f"- at: 1\n  apply: |\n    {manifest.replace(chr(10), chr(10) + '    ')}\n")
    (tmp_path / "pod.yaml").write_text(POD)
    said = StringIO()
    options = ("--script", str(tmp_path / "script.yaml"), "--for", "2s")
    call_command("simulate", "-f", str(tmp_path / "pod.yaml"), *options, stdout=StringIO(), stderr=said)
    assert '1s: pods "q" is forbidden: no PriorityClass with name gold was found' in said.getvalue()


def test_simulate_says_which_role_nothing_has(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("- {at: 2, delete: {names: ['deployment/web[2]']}}\n")
    (tmp_path / "pod.yaml").write_text(POD)
    said = StringIO()
    asked = ("-f", str(tmp_path / "pod.yaml"), "--script", str(tmp_path / "script.yaml"), "--for", "5s")
    call_command("simulate", *asked, stdout=StringIO(), stderr=said)
    assert "2s: no Pod has the role deployment/default/web[2] now: deployment/default/web has 0" in said.getvalue()


def test_simulate_prints_events(tmp_path: Path) -> None:
    assert "Successfully assigned default/p to" in simulate(tmp_path, "--for", "5s", "--format", "events")


def test_simulate_prints_a_trace_of_every_visible_change(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(SCRIPT)
    options = ("--for", "30s", "--format", "trace", "--namespace", "story", "--script", str(tmp_path / "script.yaml"))
    trace = json.loads(simulate(tmp_path, *options))
    timeline = trace["pods"]["p"]["timeline"]
    assert (trace["scenario"], trace["duration"]) == ("story", 30.0)
    assert [entry["type"] for entry in timeline][0] == "ADDED"
    assert timeline[-1]["type"] == "DELETED"
    assert timeline[-1]["containers"]["app"]["exitCode"] == 2


def test_simulate_gives_the_same_trace_for_the_same_seed(tmp_path: Path) -> None:
    options = ("--for", "40s", "--format", "trace", "--seed", "7")
    assert simulate(tmp_path, *options) == simulate(tmp_path, *options)


def test_simulate_names_the_line_of_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD.replace("restartPolicy: Never", "restartPolice: Never"))
    errors = StringIO()
    with pytest.raises(CommandError, match="was not accepted"):
        call_command("simulate", "-f", str(tmp_path / "pod.yaml"), stdout=StringIO(), stderr=errors)
    assert 'pod.yaml:5:3: error: unknown field "spec.restartPolice"' in errors.getvalue()


@pytest.mark.parametrize(
    ("options", "words"),
    [(("--for", "soon"), "not a duration"), (("--kubernetes", "1.99"), "1.99"), (("--script", "/nowhere.yaml"), "cannot read")],
)
def test_simulate_refuses_options_it_cannot_use(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        simulate(tmp_path, *options)


def test_simulate_prints_what_kubectl_answers_at_a_moment(tmp_path: Path) -> None:
    at = ("--for", "60s", "--at", "2s", "--kubectl")
    assert simulate(tmp_path, *at, "get pods --no-headers") == "p     1/1   Running   0     2s\n"
    assert simulate(tmp_path, *at, "get pods", "--kubectl", "get svc").count("$ kubectl get ") == 2


def test_simulate_carries_out_the_lines_that_act_in_turn(tmp_path: Path) -> None:
    lines = ("exec p -- echo words", "delete pod p --now", "get pods")
    options = [option for line in lines for option in ("--kubectl", line)]
    printed = simulate(tmp_path, "--for", "2s", *options).splitlines()
    assert printed[1:2] + printed[3:4] + printed[5:] == ["words", 'pod "p" deleted', "No resources found in default namespace."]


def test_simulate_ends_with_the_exit_code_of_the_last_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        simulate(tmp_path, "--for", "2s", "--kubectl", "get pods", "--kubectl", "exec p -- sh -c 'exit 3'")
    assert ended.value.code == 3


def test_simulate_refuses_a_moment_without_a_line(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="can only be used with --kubectl"):
        simulate(tmp_path, "--at", "2s")


def test_simulate_refuses_two_questions_at_once(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--kubectl and --explain cannot be used together"):
        simulate(tmp_path, "--kubectl", "get pods", "--explain", "p@45s")


def test_simulate_goes_on_from_an_imported_pod(tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(crashing(3))
    out = StringIO()
    call_command("simulate", "--import", str(tmp_path / "pods.json"), "--for", "10m", stdout=out, stderr=StringIO())
    words = [line.split()[3] for line in out.getvalue().splitlines()[1:-1]]
    assert words[0] == "Pending"
    assert "CrashLoopBackOff" in words
    assert max(int(line.split()[4]) for line in out.getvalue().splitlines()[1:-1]) > 3


def test_simulate_refuses_what_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(POD)
    with pytest.raises(CommandError, match="cannot be imported"):
        call_command("simulate", "--import", str(tmp_path / "pods.json"), stdout=StringIO(), stderr=StringIO())


def told(folder: Path, manifest: str, *options: str) -> list[str]:
    """The standard error of simulate, without the folder's name."""
    (folder / "pod.yaml").write_text(manifest)
    said = StringIO()
    assert call_command("simulate", "-f", str(folder / "pod.yaml"), "--for", "5s", *options, stdout=StringIO(), stderr=said) is None
    return said.getvalue().replace(f"{folder}/", "").splitlines()


def test_simulate_says_which_command_it_did_not_understand(tmp_path: Path) -> None:
    manifest = POD.replace(
        "image: busybox:1.28, command: [sh, -c, sleep 3; exit 2]}", "image: python:3,\n     command: [python3, -c, work()]}"
    )
    (line,) = told(tmp_path, manifest)
    expected = "container app: python3 -c work() cannot be worked out; it is taken to end with 0 after a second."
    assert line == f"pod.yaml:8:6: info: {expected}"


def test_simulate_says_once_that_a_host_of_the_internet_is_not_there(tmp_path: Path) -> None:
    fetches = "while true; do wget -q http://nobody.test.com; sleep 1; done"
    (line,) = told(tmp_path, POD.replace("sleep 3; exit 2", fetches), "--format", "trace")
    assert line.startswith("pod.yaml:7:") and "nobody.test.com is not among the few hosts of the internet" in line


def test_simulate_says_what_a_pod_of_a_script_could_not_do(tmp_path: Path) -> None:
    other = POD.replace("name: p", "name: q").replace("image: busybox:1.28, command: [sh, -c, sleep 3; exit 2]", "image: example/x:1")
    (tmp_path / "script.yaml").write_text(f"- at: 1\n  apply: |\n    {other.replace(chr(10), chr(10) + '    ')}\n")
    (line,) = told(tmp_path, POD, "--script", str(tmp_path / "script.yaml"))
    assert line == "container/default/q/app: What the image example/x:1 does is not known; it is taken to end with 0 after a second."


def test_simulate_says_nothing_of_what_it_does(tmp_path: Path) -> None:
    assert told(tmp_path, POD) == []


def test_simulate_says_why_a_pod_is_not_ready(tmp_path: Path) -> None:
    waiting = POD.replace("sleep 3; exit 2", "sleep 600").replace("spec:", "spec:\n  nodeSelector: {disk: ssd}", 1)
    (line,) = told(tmp_path, waiting)
    assert line.startswith("pod default/p is not ready: 0/3 nodes are available")


def test_simulate_says_nothing_of_a_disk_that_is_full(tmp_path: Path) -> None:
    fills = "x=$(seq 1 100000); while true; do echo $x >> /f; done"
    assert [line for line in told(tmp_path, POD.replace("sleep 3; exit 2", fills)) if "written" in line] == []


DRAIN = """\
- at: 5
  drain: {node: node-1}
- at: 6
  drain: {node: node-1, force: true, timeout: 4s}
- at: 8
  patch: {kind: PodDisruptionBudget, name: two, type: merge, body: {spec: {minAvailable: 0}}}
"""
BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: two}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: web}}
spec:
  nodeName: node-1
  terminationGracePeriodSeconds: 2
  containers:
  - {name: app, image: "busybox:1.28", command: [sleep, "600"]}
"""


def drained(folder: Path, script: str) -> list[str]:
    """The output on stderr."""
    (folder / "pod.yaml").write_text(BUDGET)
    (folder / "script.yaml").write_text(script)
    said = StringIO()
    options = ("--script", str(folder / "script.yaml"), "--for", "60s")
    call_command("simulate", "-f", str(folder / "pod.yaml"), *options, stdout=StringIO(), stderr=said)
    return said.getvalue().splitlines()


def test_simulate_prints_what_a_drain_prints(tmp_path: Path) -> None:
    lines = drained(tmp_path, DRAIN.replace("timeout: 4s", "timeout: 20s"))
    bare = "cannot delete cannot delete Pods that declare no controller (use --force to override): default/p"
    retry = "(will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget."
    assert lines[:-2] == [
        "5s: node/node-1 cordoned",
        f'5s: error: unable to drain node "node-1" due to error:{bare}, continuing command...',
        "5s: There are pending nodes to be drained:",
        "5s:  node-1",
        f"5s: {bare}",
        "6s: node/node-1 already cordoned",
        "6s: Warning: deleting Pods that declare no controller: default/p",
        "6s: evicting pod default/p",
        f'6s: error when evicting pods/"p" -n "default" {retry}',
        "11s: evicting pod default/p",
    ]
    assert [line.partition(": ")[2] for line in lines[-2:]] == ["pod/p evicted", "node/node-1 drained"]


def test_simulate_prints_that_a_drain_gave_up(tmp_path: Path) -> None:
    text = 'error when evicting pods/"p" -n "default": global timeout reached: 4s'
    assert drained(tmp_path, DRAIN.replace("minAvailable: 0", "minAvailable: 1"))[-7:] == [
        "11s: evicting pod default/p",
        f'11s: There are pending pods in node "node-1" when an error occurred: {text}',
        "11s: pod/p",
        f'11s: error: unable to drain node "node-1" due to error:{text}, continuing command...',
        "11s: There are pending nodes to be drained:",
        "11s:  node-1",
        f"11s: {text}",
    ]


def test_simulate_explains_a_decision_of_the_scheduler(tmp_path: Path) -> None:
    lines = simulate(tmp_path, "--explain", "p@45s").splitlines()
    assert lines[1].startswith("chosen: ")
    picky = POD.replace("spec:", "spec:\n  nodeSelector: {kubernetes.io/arch: arm64}", 1)
    said = simulate(tmp_path, "--explain", "default/p@45s", manifest=picky)
    assert "rejected for lack of kubernetes.io/arch=arm64: 3 carry kubernetes.io/arch=amd64" in said
    assert "NodeAffinity   node(s) didn't match Pod's node affinity/selector" in said


@pytest.mark.parametrize(
    ("asked", "words"), [("p", "does not specify a moment"), ("p@soon", "is not a duration"), ("q@45s", "had not considered")]
)
def test_simulate_refuses_to_explain_what_there_is_not(tmp_path: Path, asked: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        simulate(tmp_path, "--explain", asked)


SERVED = """\
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {podscope.dev/load: "rate=100 duration=50ms after=5s"}}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {app: web}}
spec: {containers: [{name: nginx, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b, labels: {app: web}}
spec: {containers: [{name: nginx, image: nginx}]}
"""


def test_simulate_counts_the_requests_of_a_service_and_says_why_some_failed(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("- at: 10\n  delete: {kind: Pod, names: [a]}\n- at: 20\n  load: {service: web, rate: 5, retries: 1}\n")
    lines = simulate(tmp_path, "--for", "30s", "--script", str(script), manifest=SERVED).splitlines()
    head, total = next((line.split(), after.split()) for line, after in zip(lines, lines[1:], strict=False) if line.startswith("REQUESTS"))
    assert head[2:] == ["SENT", "ANSWERED", "RETRIED", "ERROR", "REFUSED", "TIMEOUT", "RESET", "WAITING"]
    assert total == ["default/web", "1550", "1535", "0", "0", "1", "10", "3", "1"]
    assert "0:10.010  default/web/a reset: The process ended while 3 requests were in flight: their connections are reset." in lines


def test_simulate_refuses_a_load_that_cannot_be_read(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("- at: 10\n  load: {service: web, rate: many}\n")
    with pytest.raises(CommandError):
        simulate(tmp_path, "--script", str(script), manifest=SERVED)


def test_simulate_prints_what_changed_between_two_moments(tmp_path: Path) -> None:
    text = simulate(tmp_path, "--diff", "p@0s..20s")
    assert "changed: status.phase" in text and "+  phase: Failed" in text and "resourceVersion" not in text


def test_simulate_refuses_a_difference_without_two_moments(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="OBJECT@10s..45s"):
        simulate(tmp_path, "--diff", "p@20s")


def test_simulate_makes_as_many_nodes_of_a_size_as_asked_for(tmp_path: Path) -> None:
    lines = simulate(tmp_path, "--nodes", "12", "--node-size", "cpu=8,pods=250", "--kubectl", "get nodes").splitlines()
    assert [line.split()[0] for line in lines[1:]] == [f"node-{n}" for n in (1, 10, 11, 12, *range(2, 10))]
    assert "cpu:                8" in simulate(tmp_path, "--node-size", "cpu=8,pods=250", "--kubectl", "describe node node-1")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--nodes", "0"), "--nodes: must be a whole number from 1 to 1000"),
        (("--nodes", "1001"), "--nodes: "),
        (("--node-size", "cpu=lots"), "--node-size: cpu: "),
        (("--nodes", "2", "--cluster", "c.yaml"), "without --cluster"),
    ],
)
def test_simulate_names_the_option_of_nodes_that_cannot_be(tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        simulate(tmp_path, *options)


def test_simulate_says_that_an_import_brings_its_nodes(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--import brings its own nodes"):
        call_command("simulate", "--import", str(tmp_path / "pods.yaml"), "--nodes", "5", stdout=StringIO(), stderr=StringIO())


def test_notes_are_reported_once_with_their_number(tmp_path):
    container = "{name: app, image: nginx, securityContext: {capabilities: {drop: [ALL]}}}"
    pods = (f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{n}}}\nspec:\n  containers:\n  - {container}\n" for n in range(3))
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n"
    file = tmp_path / "pods.yaml"
    file.write_text("---\n".join((*pods, role)))
    errors = StringIO()
    call_command("simulate", "-f", str(file), "--for", "60s", stdout=StringIO(), stderr=errors)
    lines = errors.getvalue().splitlines()
    assert [line.split(": ", 2)[2] for line in lines] == [
        'kind "Role" is not simulated: the object is ignored',
        "capabilities is stored and shown, but has no effect in the simulation (×3)",
    ]


GONE = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"


def test_file_without_a_match_does_not_keep_the_others_from_being_applied(tmp_path):
    (tmp_path / "gone.yaml").write_text(GONE)
    (tmp_path / "pod.yaml").write_text(POD)
    out, errors = StringIO(), StringIO()
    call_command("simulate", "-f", str(tmp_path / "gone.yaml"), "-f", str(tmp_path / "pod.yaml"), stdout=out, stderr=errors)
    assert 'error: no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"' in errors.getvalue()
    assert "Running" in out.getvalue()


def test_files_without_any_match_are_refused(tmp_path):
    (tmp_path / "gone.yaml").write_text(GONE)
    with pytest.raises(CommandError, match="was not accepted"):
        call_command("simulate", "-f", str(tmp_path / "gone.yaml"), stdout=StringIO(), stderr=StringIO())
