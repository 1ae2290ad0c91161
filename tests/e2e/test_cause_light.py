"""Highlighting of causes: the chain of the chosen record is highlighted across the lanes, and Why points at its marks."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act_now, deaf_pod, record_rows, run_to, start_story, wait_until

pytestmark = pytest.mark.e2e


def lit(page):
    """The numbers of the highlighted records."""
    return [int(seq) for seq in (page.locator("#timeline").get_attribute("data-lit") or "").split()]


def choose(page, row):
    """Open the page at the record."""
    page.goto(f"{page.url.split('?')[0]}?t={row[1] / 1000 + 1}&sel={row[3]}&rec={row[0]}")
    wait_until(page, "(rec) => (document.querySelector('#timeline').dataset.lit || '').split(' ').includes(rec)", str(row[0]))


def opacity(page):
    """How much of the base the top layer covers, at a position before the playhead where nothing is drawn."""
    return page.evaluate("() => document.querySelector('.timeline__canvas--top').getContext('2d').getImageData(3, 2, 1, 1).data[3]")


@pytest.fixture
def page(visit):
    """A container that ignored TERM and has been killed, in a pod that was deleted."""
    return deaf_pod(visit, until_s=60)


def test_chain_shines_from_the_act_to_the_end_and_escape_puts_it_out(page):
    rows = record_rows(page)
    ended = next(row for row in rows if row[4] == "container" and row[7] == "exited")
    choose(page, ended)
    causes, at = {ended[0]}, ended
    while at[8]:
        at = rows[at[8] - 1]
        causes.add(at[0])
    assert causes <= set(lit(page)) and at[4] == "command"
    assert opacity(page) > 0
    page.locator("#timeline").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#timeline")).to_have_attribute("data-lit", "")
    assert opacity(page) == 0


def test_what_followed_shines_too(page):
    rows = record_rows(page)
    ended = next(row for row in rows if row[4] == "container" and row[7] == "exited")
    choose(page, ended)
    followed = [row[0] for row in rows if row[8] == ended[0]]
    assert followed and set(followed) <= set(lit(page))


def test_step_of_why_points_at_its_mark_by_pointer_and_by_keyboard(page):
    ended = next(row for row in record_rows(page) if row[4] == "container" and row[7] == "exited")
    choose(page, ended)
    second = page.locator("#drawer-body .why__step").nth(1)
    second.hover()
    expect(page.locator("#timeline")).to_have_attribute("data-spot", second.get_attribute("data-points"))
    page.locator("#drawer-body .why__step a[data-seek-seq]").first.focus()
    expect(page.locator("#timeline")).to_have_attribute("data-spot", str(ended[0]))
    page.locator("#timeline").focus()
    expect(page.locator("#timeline")).to_have_attribute("data-spot", "")


def test_light_reaches_the_requests_of_a_service(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "zero-downtime", stands_at_s=20)
    page.locator('.lane-label[data-kind="status"] [data-lane]').first.click()
    act_now(page, page.locator("#insp-acts button").first)
    run_to(page, 24)
    rows = record_rows(page)
    deleted = next(row for row in rows if row[4] == "object" and row[7] == "terminating")
    choose(page, deleted)
    requests = [str(row[0]) for row in rows if row[3].startswith("requests/")]
    wait_until(page, "(seqs) => document.querySelector('#timeline').dataset.lit.split(' ').some((seq) => seqs.includes(seq))", requests)


def test_chain_is_a_sequence_whose_arrows_lead_to_their_instants(page):
    ended = next(row for row in record_rows(page) if row[4] == "container" and row[7] == "exited")
    choose(page, ended)
    page.locator("#why-way-sequence").click()
    expect(page.locator(f"#message-{ended[0]}")).to_have_attribute("aria-current", "true")
    first = page.locator(".sequence__message").first
    seq = first.get_attribute("data-seek-seq")
    first.locator(".sequence__hit").hover(force=True)
    expect(page.locator("#timeline")).to_have_attribute("data-spot", seq)
    first.locator(".sequence__hit").click(force=True)
    expect(page.locator(f"#message-{seq}")).to_have_attribute("aria-current", "true")
    expect(page.locator(".sequence__message")).to_have_count(1)
    page.locator("#why-way-sentences").click()
    expect(page.locator(f"#why-{seq}")).to_be_visible()
