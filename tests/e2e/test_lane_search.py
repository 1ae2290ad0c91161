"""Many lanes: the search that filters them and finds instants, their order, folding all, and the strip of the whole run."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import as_it_stood, played, playhead, standing, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
PODS = 30
MANIFEST = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {PODS - 1}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers: [{{name: web, image: nginx:1.16.1}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: sick, labels: {{tier: batch}}}}
spec:
  containers: [{{name: main, image: busybox:1.28, command: [sh, -c, sleep 2; exit 3]}}]
"""


def killed_thrice(visit):
    return standing(visit(), "liveness-death-spiral", 300)


def thirty(visit):
    page = played(visit(), MANIFEST, 30)
    wait_until(page, f"() => document.querySelector('[data-count=pods]').textContent.startsWith('{PODS} ')")
    return page


@pytest.fixture
def spiral(shared):
    """A container that its liveness probe has killed three times."""
    return as_it_stood(shared(killed_thrice))


@pytest.fixture
def many(shared):
    """Thirty pods, one of which keeps crashing."""
    return as_it_stood(shared(thirty))


def search(page, words):
    page.locator("#timeline").focus()
    page.keyboard.press("/")
    page.keyboard.type(words)


def pods(page):
    return page.locator('.lane-label[data-kind="status"] .lane-label__name')


def test_first_exit_code_is_found_and_jumped_to_by_keys(spiral):
    search(spiral, "first 137")
    expect(spiral.locator(".find__option")).to_have_count(1)
    spiral.keyboard.press("Enter")
    expect(spiral.locator("[data-run]")).to_have_attribute("data-playhead", re.compile(r"^75\d{3}$"))
    expect(spiral.locator("#drawer-body .why__step").first).to_contain_text("137")


def test_n_and_shift_n_go_through_what_was_found(spiral):
    search(spiral, "exit 137")
    expect(spiral.locator(".find__option")).to_have_count(3)
    spiral.keyboard.press("Enter")
    first = playhead(spiral)
    spiral.keyboard.press("Escape")
    spiral.keyboard.press("n")
    wait_until(spiral, "(t) => Number(document.querySelector('[data-run]').dataset.playhead) > t + 50000", first)
    spiral.keyboard.press("Shift+N")
    expect(spiral.locator("[data-run]")).to_have_attribute("data-playhead", str(first))
    spiral.keyboard.press("Escape")
    expect(spiral.locator(".find__input")).to_have_value("")


def test_state_that_lasts_is_found(spiral):
    search(spiral, "Running > 60 s")
    lines = spiral.locator(".find__option")
    expect(lines.first).to_be_visible()
    expect(lines.locator(".find__long").first).to_contain_text(" m")


def test_nothing_found_hides_nothing(spiral):
    search(spiral, "quokka")
    expect(spiral.locator(".find__note")).to_contain_text("No matches")
    expect(pods(spiral)).to_have_count(1)


def test_state_and_labels_leave_the_lanes_they_fit(many):
    search(many, "is:trouble")
    expect(pods(many)).to_have_text(["sick"])
    many.locator(".find__input").fill("tier=batch")
    expect(pods(many)).to_have_text(["sick"])
    many.locator(".find__input").fill("-l a=b=c")
    expect(many.locator(".find__note")).to_contain_text("unable to parse")
    many.locator(".find__input").fill("")
    expect(pods(many).nth(3)).to_be_visible()


def test_link_carries_search_and_order(visit):
    many = thirty(visit)
    search(many, "pod:sick")
    expect(pods(many)).to_have_text(["sick"])
    many.locator("#timeline").focus()
    many.keyboard.press("Home")
    wait_until(many, "() => location.search.includes('q=pod')")
    many.goto(many.url)
    wait_for_run(many)
    expect(pods(many)).to_have_text(["sick"])


def test_list_stays_closed_where_the_field_is_left_at_once(many):
    search(many, "is:trouble")
    expect(pods(many)).to_have_text(["sick"])
    many.evaluate("""() => {
      const field = document.querySelector(".find__input");
      field.value = "";
      field.dispatchEvent(new Event("input", { bubbles: true }));
      document.querySelector("#timeline").focus();
    }""")
    expect(pods(many).nth(3)).to_be_visible()  # the search has finished
    expect(many.locator(".find__note")).to_be_hidden()


def test_most_troubled_pod_comes_first_when_asked(many):
    button = many.locator(".timeline__tool[data-do=sortLanes]")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(pods(many).first).to_have_text("sick")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_many_pods_open_folded_and_unfold_at_once(visit):
    many = thirty(visit)
    rows = many.locator(".lane-label")
    expect(rows.locator("[data-fold=collapsed]").first).to_have_attribute("aria-expanded", "false")
    many.locator(".timeline__tool[data-do=foldAll]").click()
    expect(many.locator('.lane-label[data-kind="container"]').first).to_be_visible()


def test_chips_of_the_inspector_name_few_and_lead_to_the_search(many):
    chips = many.locator("#insp-pods a.chip:not(.chip--node)")
    expect(chips).to_have_count(12)
    expect(chips.filter(has_text="sick")).to_have_count(1)
    many.locator("#insp-pods button").click()
    expect(many.locator(".find__input")).to_be_focused()


def test_table_twin_has_every_lane_but_few_lines(visit):
    many = thirty(visit)
    many.locator(".timeline__more summary").click()
    many.locator(".timeline__more [data-do=foldAll]").click()
    many.locator(".timeline__more summary").click()
    many.locator(".timeline__more [data-do=table]").click()
    table = many.locator(".treegrid table")
    expect(table).to_be_visible()
    wait_until(many, f"() => Number(document.querySelector('.treegrid table').getAttribute('aria-rowcount')) > {5 * PODS}")
    assert table.locator("tbody tr").count() < 100
    many.keyboard.press("End")
    last = table.get_attribute("aria-rowcount")
    expect(many.locator(".treegrid tr:focus")).to_have_attribute("aria-rowindex", str(last))


def window(page):
    return [int(part) for part in page.locator("[data-run]").get_attribute("data-view").split(":")]


def test_strip_pans_by_dragging_and_by_keys(visit):
    spiral = killed_thrice(visit)
    spiral.locator("#timeline").focus()
    begin, end = window(spiral)
    for _ in range(4):
        spiral.keyboard.press("w")
    zoomed = "(most) => { const [a, b] = document.querySelector('[data-run]').dataset.view.split(':'); return b - a < most; }"
    wait_until(spiral, zoomed, (end - begin) * 0.7**4 + 100)
    before = window(spiral)
    strip = spiral.locator(".minimap")
    box = strip.bounding_box()
    spiral.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 18)
    spiral.mouse.down()
    spiral.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 18, steps=4)
    spiral.mouse.up()
    wait_until(spiral, "(t) => Number(document.querySelector('[data-run]').dataset.view.split(':')[0]) < t - 20000", before[0])
    told = strip.get_attribute("aria-valuetext")
    strip.press("ArrowRight")
    expect(strip).not_to_have_attribute("aria-valuetext", told)
    assert strip.get_attribute("role") == "slider" and re.search(r"\d:\d\d", told)


def test_end_of_a_long_name_is_in_sight_on_every_pod_of_the_inspector(visit):
    owner = "payment-gateway-production-worker-7f9c6d5b4"
    pods = "\n---\n".join(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {owner}-x{n}}}\nspec: {{containers: [{{name: app, image: nginx:1.27}}]}}"
        for n in range(3)
    )
    page = played(visit(), pods, 5)
    chips = page.locator("#insp-pods .chip:not(.chip--node)")
    expect(chips).to_have_count(3)
    for n in range(3):
        end = chips.nth(n).locator(".cut > :last-child")
        expect(end).to_have_text(f"-x{n}")
        assert end.evaluate("(part) => part.scrollWidth <= part.clientWidth + 1")
        assert chips.nth(n).evaluate("(chip) => chip.scrollWidth <= chip.clientWidth && chip.offsetWidth < chip.parentElement.clientWidth")
