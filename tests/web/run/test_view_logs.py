"""The Logs tab: a container's output up to the moment, instance by instance."""

import re
from html import unescape

import pytest
from django.urls import reverse

from simulator.engine.acts.pods.delete import DeletePod
from simulator.runs.services.commands import command_submit
from tests.factories import OWNER, make_content, make_run, pod_json
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db
COUNTS = ("sh", "-c", "i=0; while true; do i=$((i+1)); echo line $i; sleep 1; done")
DIES = ("sh", "-c", "echo begin; sleep 2; echo oh no >&2; exit 3")


def run_of(command, until_ms=20_000, **spec):
    return play(make_run(content=make_content(pod_json(command=command, **spec))), until_ms)


def shown(client, run, *, sel="", t=None):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "logs"])
    return unescape(text_of(client.get(url, {"sel": sel, "t": run.head_ms if t is None else t}, headers={"HX-Request": "true"})))


def lines(page):
    return re.findall(r'class="log__line"[^>]*>([^<]*)<', page)


def test_log_follows_the_playhead_between_records(client):
    run = run_of(COUNTS)
    earlier, later = lines(shown(client, run, t=15_000)), lines(shown(client, run, t=19_000))
    assert later == [f"line {n}" for n in range(1, len(later) + 1)] and len(later) == len(earlier) + 4


def test_every_instance_has_its_part_with_the_line_that_reads_it(client):
    page = shown(client, run_of(DIES, 25_000))
    assert [int(number) for number in re.findall(r'id="log-(\d+)"', page)] == [0, 1, 2]
    assert "kubectl logs web -c app</code>" in page and "kubectl cannot read it right now" in page
    assert page.count("exit code 3") == 2 and "no longer on the node" in page and 'data-stream="stderr">oh no' in page


def test_instance_before_the_running_one_is_read_as_previous(client):
    page = shown(client, run_of(DIES, 6_500))
    assert page.index("kubectl logs web -c app --previous<") < page.index("kubectl logs web -c app<")


def test_container_is_chosen_by_the_selection(client):
    extra = {"name": "first", "image": "busybox:1.28", "command": ["echo", "prepared"]}
    run = run_of(COUNTS, initContainers=[extra])
    assert lines(shown(client, run, sel="container/default/web/first")) == ["prepared"]
    assert lines(shown(client, run, sel="pod/default/web"))[0] == "line 1"


def test_container_without_a_log_says_what_kubectl_would(client):
    run = play(make_run(content=make_content(pod_json(restartPolicy="Never").replace("busybox:1.28", "none.example/x:1"))), 1_000)
    page = shown(client, run)
    assert "This container has not run yet" in page and "is waiting to start" in page


def test_log_outlives_the_object_but_not_for_kubectl(client):
    run = run_of(("sh", "-c", "trap '' TERM; echo here; sleep 600"))
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web", force=True), client_key="key-00000001")
    page = shown(client, play(run, 21_000))
    assert lines(page) == ["here"] and "kubectl cannot read it" in page


def test_address_opens_the_tab(client):
    run = run_of(COUNTS)
    page = text_of(client.get(f"/r/{run.id}/", {"t": "4", "tab": "logs"}))
    assert 'id="log-0"' in page and "line 3" in page
