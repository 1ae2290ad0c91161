"""The version lens as a page."""

import pytest
from django.urls import reverse

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.text import Text
from simulator.engine.versions import MINORS
from simulator.headless.matching import COMMAND, MISSING, Cell, MatchedRow
from simulator.headless.refused import RefusedAct
from simulator.runs.services.commands import command_submit
from simulator.web.compare import lens
from tests.factories import OWNER, make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db


def test_lens_shows_a_column_for_each_version_asked_for(client, stories):
    page = text_of(client.get("/scenarios/pid-1-is-deaf/lens/?versions=1.20,1.27,1.37"))
    assert all(f'<th scope="col">{version}</th>' in page for version in ("1.20", "1.27", "1.37"))
    assert "terminal_phase_on_delete" in page


def test_lens_shows_only_differences_unless_asked(client, stories):
    url = "/scenarios/hello-pod/lens/?versions=1.29,1.30"
    few, many = (text_of(client.get(url + more)) for more in ("", "&show=all"))
    assert many.count("<tr") > few.count("<tr")


@pytest.mark.parametrize("query", ["?versions=9.9,abc", "?versions=", "?v=1.20", "?versions=1.20&for=999999", "?for=x&versions=<b>"])
def test_lens_takes_its_defaults_when_the_address_is_mangled(client, stories, query):
    page = text_of(client.get("/scenarios/hello-pod/lens/" + query))
    assert '<th scope="col">1.27</th>' in page and "<b>" not in page


def test_lens_takes_versions_from_its_form(client, stories):
    page = text_of(client.get("/scenarios/hello-pod/lens/?v=1.25&v=1.31&for=60"))
    assert '<th scope="col">1.25</th>' in page and '<th scope="col">1.31</th>' in page


def test_lens_takes_every_version_and_the_phase_rules_of_1_3(client, stories):
    page = text_of(client.get(f"/scenarios/hello-pod/lens/?versions={','.join((*MINORS, '1.3'))}&for=60"))
    assert all(page.count(f'<th scope="col">{version}</th>') == 2 for version in (*MINORS, "1.3 (phase only)"))
    assert page.count(" checked") == len(MINORS) + 1


def test_lens_of_a_run_gives_its_commands_to_every_version(client):
    run = play(make_run(), 5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="12345678")
    play(run, 8_000)
    page = text_of(client.get(reverse("sim:run-lens", args=[run.id]) + "?versions=1.20,1.30&show=all"))
    assert "Terminating" in page and "1 action is applied" in page


def test_lens_marks_refused_acts_in_the_column_and_above_it(client):
    run = play(make_run(), 5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web-r5hnd"), client_key="12345678")
    play(run, 8_000)
    page = text_of(client.get(reverse("sim:run-lens", args=[run.id]) + "?versions=1.20,1.30"))
    assert page.count("⊘ 1 refused action</span>") == 2
    assert "⊘ 1.20 refused 1 action: from that point its column is not the run you asked for." in page
    why = "5 s, Delete default/web-r5hnd: There is no pod with that name at this moment."
    assert page.count(f"<li>{why}</li>") == 2 and page.count(f'<span class="lens__detail">⊘ {why}</span>') == 2


def switches_of(client, language):
    page = text_of(client.get("/scenarios/hello-pod/lens/?versions=1.20,1.30&for=60", headers={"Accept-Language": language}))
    return page[page.index('id="lens-switch-list"') :]


def test_lens_says_in_chinese_what_versions_do_differently(client, stories):
    switches = switches_of(client, "zh-hans")
    assert "被删除的 Pod 在消失之前以 Succeeded 或 Failed 结束" in switches and 'lang="en"' not in switches


def test_lens_says_in_traditional_chinese_what_versions_do_differently(client, stories):
    assert "被刪除的 Pod 在消失之前以 Succeeded 或 Failed 結束" in switches_of(client, "zh-hant")


def test_lens_has_its_values_in_the_language_of_the_reader(client, stories):
    assert "<td>否</td><td data-odd>是</td>" in switches_of(client, "zh-hans")


def test_search_of_the_lens_finds_the_english_note_too(client, stories):
    assert "A deleted pod ends in Succeeded or Failed before it goes" in switches_of(client, "zh-hans")


def test_lens_answers_404_when_there_is_no_such_scenario(client):
    assert client.get("/scenarios/nothing/lens/").status_code == 404


def test_scenario_page_leads_to_its_lens(client, stories):
    assert "/scenarios/hello-pod/lens/" in text_of(client.get("/scenarios/hello-pod/"))


def test_an_act_that_a_version_did_is_reported_next_to_those_that_refused_it():
    words = RefusedAct(at_ms=0, seq=7, act=Text("Delete"), why=Text("No."))
    row = MatchedRow(COMMAND, "pod/default/web", "refused", 0, (Cell(0, "", 7), None), MISSING)
    told = [(cell["is_done"], bool(cell["refused"])) for cell in lens._row(row, ((words,), ()))["cells"]]
    assert told == [(False, True), (True, False)]
    other = MatchedRow("phase", "pod/default/web", "Running", 0, (Cell(0, "", 7), None), MISSING)
    assert [cell["is_done"] for cell in lens._row(other, ((words,), ()))["cells"]] == [False, False]
