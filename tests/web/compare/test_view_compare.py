"""The comparison page of two runs, and the Diff tab."""

import json
import re
from uuid import uuid4

import pytest
from django.urls import reverse

from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.headless.comparison import COUNT, SPAN, Fact
from simulator.headless.matching import TOLERANCE_MS
from simulator.models import Run
from simulator.runs.services.commands import command_submit_at
from simulator.runs.services.runs import encode_command
from simulator.runs.services.shares import share_create, shared_run
from simulator.web.compare import compare
from simulator.web.compare.acts_apart import acts_apart
from tests.factories import OWNER, make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db
DELETE = DeletePod(target="default/web")


@pytest.fixture
def pair():
    """A run at 0:30, and its branch at 0:20 in which the pod is deleted, at 1:10."""
    main = play(make_run(paused=True), 30_000)
    there, _given = command_submit_at(run=main, owner_key=OWNER, command=DELETE, client_key="a-deletion", at_ms=20_000)
    there.commands.filter(at_ms=None).update(at_ms=20_000)
    branch = play(there, 70_000)
    Run.objects.filter(id=main.id).update(base_ms=30_000, stands_ms=30_000, is_paused=True)
    Run.objects.filter(id=branch.id).update(base_ms=70_000, stands_ms=70_000, is_paused=True)
    return main, branch


def url(pair, name="run-compare", query=""):
    return reverse(f"sim:{name}", args=[run.id for run in pair]) + query


def test_page_flags_the_first_difference_with_its_why(client, pair):
    page = text_of(client.get(url(pair)))
    assert "First difference" in page and "You deleted pod web" in page
    assert "This does not happen here." in page
    assert json.loads(re.search(r'id="compare-strip"[^>]*>(.*?)</script>', page)[1])["first_ms"] == 20_000


def test_page_lists_what_came_of_both(client, pair):
    page = text_of(client.get(url(pair)))
    assert "STATUS at the end" in page and "Time to Ready" not in page
    assert "Time to Ready" in text_of(client.get(url(pair, query="?show=all")))


@pytest.mark.parametrize(
    ("unit", "values", "by"),
    [
        (SPAN, (2_000, 65_000), "+1 m 3 s"),
        (SPAN, (65_000, 2_000), "−1 m 3 s"),
        (COUNT, (1, 4), "+3"),
        (COUNT, (4, 1), "−3"),
        (COUNT, (2, 2), ""),
    ],
)
def test_results_differ_by_a_length_or_a_number(unit, values, by):
    fact = Fact(subject="run", title="Restarts", unit=unit, values=values)
    ((_title, (row,)),) = compare._fact_groups([fact])
    assert row["by"] == by


def test_results_of_the_whole_run_stand_below_that_name_and_others_below_theirs():
    facts = [Fact(subject=subject, title="Restarts", unit=COUNT, values=(1, 1)) for subject in ("run", "pod/default/web")]
    assert [title for title, _rows in compare._fact_groups(facts)] == ["The whole run", "web"]


def test_results_come_alone_for_scripts(client, pair):
    part = text_of(client.get(url(pair), headers={"HX-Request": "true"}))
    assert "First difference" in part and "<html" not in part


def test_run_compared_with_itself_does_not_differ(client, pair):
    assert "No differences" in text_of(client.get(url((pair[0], pair[0]))))


def test_runs_are_aligned_on_an_event_of_both(client, pair):
    page = text_of(client.get(url(pair, query="?align=ready")))
    assert '<option value="ready" selected>' in page
    sides = json.loads(re.search(r'id="compare"[^>]*>(.*?)</script>', page)[1])["sides"]
    assert sides[0]["zero_ms"] == sides[1]["zero_ms"] > 0


@pytest.mark.parametrize("query", ["?align=nonsense", "?align=<b>", "?a=1&b=99999", "?a=x", "?t=1&sel=nobody"])
def test_mangled_alignment_is_left_out(client, pair, query):
    page = text_of(client.get(url(pair, query=query)))
    assert "First difference" in page and "<b>" not in page


def test_selected_object_is_compared_at_one_moment(client, pair):
    part = text_of(client.get(url(pair, "run-compare-diff", "?t=21000&sel=pod/default/web")))
    assert "metadata.deletionTimestamp" in part and 'data-op="+"' in part
    assert "No differences." in text_of(client.get(url(pair, "run-compare-diff", "?t=10000&sel=pod/default/web")))


def test_diff_of_a_moment_that_is_none_is_refused(client, pair):
    assert client.get(url(pair, "run-compare-diff", "?t=x")).status_code == 400


def test_pasted_links_lead_to_the_page(client, pair):
    main, branch = pair
    start = reverse("sim:run-compare-with", args=[main.id])
    assert client.get(start, {"with": f"https://host/r/{branch.id}/?t=3"}).url == url(pair)
    share = share_create(run=branch)
    there = client.get(start, {"with": f"https://host/s/{share.id}/?t=3"}).url
    assert Run.objects.get(id=there.split("/")[4]).share_id == share.id


@pytest.mark.parametrize("link", ["", "nonsense", f"/r/{uuid4()}/", "/s/aaaaaaaaaa/"], ids=["empty", "nonsense", "run", "share"])
def test_what_is_not_a_link_is_refused(client, pair, link):
    answer = client.get(reverse("sim:run-compare-with", args=[pair[0].id]), {"with": link})
    assert answer.status_code == 422 and "with" in text_of(answer)


def test_branch_menu_offers_comparison_and_the_act_at_another_moment(client, pair):
    page = text_of(client.get(reverse("sim:run", args=[pair[1].id])))
    assert url(pair) in page
    assert "kubectl delete pod web" in page and reverse("sim:run-move", args=[pair[1].id]) in page


def test_moved_branch_is_compared_with_the_other_run(client, pair):
    main, branch = pair
    sign_in_as_owner(client)
    fields = {"at_ms": 12_000, "client_key": "moved-once", "against": main.id, "side": "right"}
    there = client.post(reverse("sim:run-move", args=[branch.id]), fields).url
    moved = Run.objects.exclude(id__in=[main.id, branch.id]).get()
    assert there == url((main, moved)) and moved.parent_ms == 12_000


def test_branch_is_moved_by_seconds_without_scripts(client, pair):
    sign_in_as_owner(client)
    there = client.post(reverse("sim:run-move", args=[pair[1].id]), {"at_s": "12.5", "client_key": "moved-once"}).url
    assert Run.objects.get(id=there.split("/")[2]).parent_ms == 12_500


@pytest.mark.parametrize("fields", [{}, {"at_ms": "x"}, {"at_ms": 29_000_000_000}, {"at_ms": 31_000}])
def test_move_that_is_impossible_is_refused(client, pair, fields):
    sign_in_as_owner(client)
    answer = client.post(reverse("sim:run-move", args=[pair[1].id]), {"client_key": "moved-once", **fields})
    assert answer.status_code == 422


def test_lens_plays_two_versions_and_compares_them(client, stories):
    answer = client.post("/scenarios/hello-pod/lens/play/", {"v": ["1.20", "1.30"], "for": "60"})
    first, second = re.findall(r"[0-9a-f-]{36}", answer.url)
    runs = [Run.objects.get(id=each) for each in (first, second)]
    assert [run.header().kubernetes for run in runs] == ["1.20", "1.30"] and all(run.is_frozen for run in runs)
    assert client.post("/scenarios/hello-pod/lens/play/", {"v": ["1.20", "1.30"], "for": "60"}).url == answer.url
    page = text_of(client.get(answer.url))
    assert "only just started" in page


def test_lens_of_a_run_plays_its_commands(client, pair):
    answer = client.post(reverse("sim:run-lens-play", args=[pair[1].id]), {"v": ["1.20", "1.30"], "for": "60"})
    run = Run.objects.get(id=re.findall(r"[0-9a-f-]{36}", answer.url)[0])
    assert [row.command() for row in run.commands.all()] == [DELETE]


@pytest.mark.parametrize("versions", [[], ["1.30"], ["1.30", "9.9"], ["1.20", "1.25", "1.30"]])
def test_lens_plays_exactly_two_versions(client, stories, versions):
    assert client.post("/scenarios/hello-pod/lens/play/", {"v": versions}).status_code == 422


# ---- the Diff tab


def panel(client, run, **query):
    return text_of(client.get(f"/r/{run.id}/at/{run.head_seq}/panel/diff/", {"sel": "pod/default/web", "t": run.head_ms, **query}))


def test_diff_shows_the_last_change_of_the_pod(client, pair):
    part = panel(client, pair[0])
    assert "last change, at" in part and "status.conditions[Ready].status" in part


def test_diff_against_a_pinned_moment(client, pair):
    part = panel(client, pair[0], pin=0)
    assert "(pinned)" in part and "status.phase" in part


def test_diff_leaves_bookkeeping_out_unless_asked(client, pair):
    assert "metadata.resourceVersion" not in panel(client, pair[0], pin=0)
    assert "metadata.resourceVersion" in panel(client, pair[0], pin=0, noise=1)


def test_diff_of_an_object_that_is_gone_says_what_it_was(client, pair):
    part = panel(client, pair[1])
    assert 'data-change="removed"' in part and 'data-op="-"' in part


def test_address_carries_the_pin(client, pair):
    page = text_of(client.get(reverse("sim:run", args=[pair[0].id]) + "?t=25&sel=pod/default/web&tab=diff&pin=1.5"))
    assert "from 0:01.5 (pinned)" in page


def test_pin_that_is_not_a_moment_is_refused(client, pair):
    run = pair[0]
    assert client.get(f"/r/{run.id}/at/{run.head_seq}/panel/diff/", {"pin": "x"}).status_code == 400


def test_page_says_which_acts_were_refused_in_which_of_both(client, pair):
    main, branch = pair
    assert "action was refused" not in text_of(client.get(url(pair)))
    there, _given = command_submit_at(
        run=branch, owner_key=OWNER, command=DeletePod(target="default/none"), client_key="a-refusal", at_ms=25_000
    )
    there.commands.filter(at_ms=None).update(at_ms=25_000)
    other = play(there, 70_000)
    Run.objects.filter(id=other.id).update(base_ms=70_000, stands_ms=70_000, is_paused=True)
    page = text_of(client.get(url((main, other))))
    assert "1 action was refused. The run is shown without it." in page
    assert "25 s, Delete default/none: There is no pod with that name at this moment." in page


def with_later_act(main):
    """Give the run an act after the moment at which its branch leaves it."""
    body = encode_command(CordonNode(node="node1"))
    main.commands.create(n=90, client_key="later-act", body=body, at_ms=25_000, outcome="accepted")


def test_branch_says_what_it_has_not_of_its_parent_and_takes_it_along(client, pair):
    main, branch = pair
    with_later_act(main)
    page = text_of(client.get(reverse("sim:run", args=[branch.id])))
    assert "1 later action is not part of this branch" in page and "Cordon node1" in page
    sign_in_as_owner(client)
    there = client.post(reverse("sim:run-take-along", args=[branch.id]), {"client_key": "taken-along"}).url
    page = text_of(client.get(there))
    assert "1 later action was carried over" in page and "run-take-along" not in page


@pytest.mark.parametrize("fields", [{}, {"client_key": "x"}, {"client_key": "taken-along"}], ids=["no-key", "short-key", "nothing-later"])
def test_taking_along_that_is_impossible_is_refused(client, pair, fields):
    sign_in_as_owner(client)
    assert client.post(reverse("sim:run-take-along", args=[pair[1].id]), fields).status_code == 422


def test_comparison_lists_the_acts_that_only_one_run_was_given(client, pair):
    main, _branch = pair
    with_later_act(main)
    page = text_of(client.get(url(pair)))
    part = page[page.index("apart-title") : page.index("data-object-place")]
    assert "2 actions differ" in part and part.index("Delete") < part.index("Cordon node1")


def test_comparison_of_runs_with_the_same_acts_lists_none(client, pair):
    assert "apart-title" not in text_of(client.get(url((pair[0], pair[0]))))


def give(run, *moments):
    """Give the run the same act at each moment."""
    body = encode_command(CordonNode(node="node1"))
    for at_ms in moments:
        n = run.commands.count() + 1
        run.commands.create(n=n, client_key=f"an-act-{n}", body=body, at_ms=at_ms, outcome="accepted")


@pytest.fixture
def twins():
    """Two runs paused at 0:30."""
    return tuple(play(make_run(paused=True, at_ms=30_000), 30_000) for _ in range(2))


@pytest.mark.parametrize(
    ("left", "right", "count"),
    [
        ([5_000], [5_000], 0),
        ([5_000], [5_000 + TOLERANCE_MS], 0),
        ([5_000], [5_001 + TOLERANCE_MS], 2),
        ([5_000, 5_000], [5_000], 1),
        ([1_000, 5_000], [5_010], 1),
        ([], [30_000], 1),
        ([], [30_001], 0),
        ([29_990], [30_010], 0),
    ],
)
def test_acts_differ_as_all_else_on_the_page_does(twins, left, right, count):
    give(twins[0], *left)
    give(twins[1], *right)
    assert acts_apart(twins, (0, 0), horizon_ms=30_000, rows_max=10)["count"] == count


def test_heading_counts_the_acts_that_are_not_shown_too(client, twins, monkeypatch):
    monkeypatch.setattr(compare, "ROWS_MAX", 2)
    give(twins[0], *range(1_000, 6_000, 1_000))
    page = text_of(client.get(url(twins)))
    part = page[page.index("apart-title") : page.index("data-object-place")]
    assert "5 actions differ" in part and "3 more rows not shown" in part and part.count("Cordon node1") == 2


def test_act_that_one_run_has_merely_not_come_to_does_not_differ(client, twins):
    further = play(make_run(paused=True, at_ms=60_000), 60_000)
    give(further, 50_000)
    assert "apart-title" not in text_of(client.get(url((twins[0], further))))


def test_runs_are_aligned_where_they_branch_only_if_they_branch_at_two_moments(client, pair):
    assert '<option value="branch"' not in text_of(client.get(url(pair)))
    main, branch = pair
    Run.objects.filter(id=main.id).update(parent_ms=20_000)
    assert '<option value="branch"' not in text_of(client.get(url(pair)))
    Run.objects.filter(id=main.id).update(parent_ms=10_000)
    assert '<option value="branch"' in text_of(client.get(url(pair)))


def test_run_behind_a_link_has_no_socket_on_the_page_of_two(client, pair):
    link = shared_run(share=share_create(run=pair[0]))
    page = text_of(client.get(url((link, pair[1]))))
    sides = json.loads(re.search(r'id="compare"[^>]*>(.*?)</script>', page)[1])["sides"]
    assert [side["socket"] for side in sides] == ["", f"/ws/run/{pair[1].id}/"]


@pytest.mark.parametrize(("head_ms", "clock_ms", "reach_ms"), [(30_000, 40_000, 40_000), (1_000, 40_000, 1_000), (30_000, 30_000, 30_000)])
def test_run_is_compared_no_further_than_its_records_are_stored(head_ms, clock_ms, reach_ms):
    run = play(make_run(paused=True), head_ms)
    Run.objects.filter(id=run.id).update(base_ms=clock_ms, stands_ms=clock_ms)
    run.refresh_from_db()
    assert compare.reach_of(run) == reach_ms


def test_run_of_other_rules_is_compared_as_far_as_it_was_recorded():
    run = play(make_run(paused=True), 30_000)
    Run.objects.filter(id=run.id).update(base_ms=40_000, stands_ms=40_000, revision=1)
    run.refresh_from_db()
    assert compare.reach_of(run) == 30_000


def test_run_that_has_stored_nothing_yet_is_not_played_to_be_compared(monkeypatch):
    monkeypatch.setattr(compare.timemachine, "seek", None)
    assert compare.reach_of(make_run(paused=True, at_ms=40_000)) == 0
