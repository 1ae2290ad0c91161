"""Labels and marks of the lanes never overlap, at any zoom. The layout is called directly, with records of every story."""

import json

import pytest

from simulator.engine import advance, apply, new_world
from simulator.scenarios.build import story_content
from simulator.scenarios.expect import horizon_ms
from simulator.scenarios.story import Story, read_stories

pytestmark = pytest.mark.e2e

OVERLAPS = """async (rows) => {
  const at = "/static/js/";
  const names = ["lanes/record-store", "timeline/viewport", "timeline/bar-layout", "timeline/mark-layout", "timeline/painter"];
  const modules = await Promise.all(names.map((name) => import(`${at}${name}.js`)));
  const [{ RecordStore }, { Viewport }, { layoutBars }, { layoutMarks }, { BARS }] = modules;
  const store = new RecordStore();
  store.append(rows);
  const measure = (size, weight, words) => words.length * size * 0.62;
  const found = [];
  let words = 0;
  const check = (lane, zoom, boxes) => {
    boxes.sort((a, b) => a[0] - b[0]);
    for (let i = 1; i < boxes.length; i += 1) if (boxes[i][0] < boxes[i - 1][1] - 0.6) found.push([lane.id, zoom, boxes[i - 1], boxes[i]]);
  };
  for (let zoom = 0; zoom < 36; zoom += 1) {
    const viewport = new Viewport();
    viewport.width = 900;
    const span = (store.head_ms * 1.3) / 1.28 ** zoom;
    const from = (store.active_ms - span) * ((zoom * 7) % 10) / 10;
    viewport.show(from, from + span);
    for (const lane of store.lanes.byId.values()) {
      const room = { viewport, end_ms: store.head_ms, measure };
      if (BARS[lane.kind]) {
        const layout = layoutBars(lane, room, BARS[lane.kind].size);
        const said = layout.words.filter((word) => word.kind !== "ghost").map((word) => [word.x0, word.x1, word.words]);
        check(lane, zoom, [...said, ...layout.poles.map((pole) => [pole.x - 1, pole.x1 + 1, "|"])]);
        words += layout.words.length;
      } else {
        const items = layoutMarks(lane, room);
        const beside = items.filter((item) => item.words && item.marks.length === 1);
        const glyphs = items.map((item) => [item.left, item.right, "o"]);
        check(lane, zoom, [...glyphs, ...beside.map((item) => [item.from, item.to, item.words])]);
        const within = items.filter((item) => item.words && item.marks.length > 1);
        if (within.some((item) => item.from < item.left || item.to > item.right)) found.push([lane.id, zoom, "words leave their pill"]);
        const shown = items.reduce((sum, item) => sum + item.marks.length, 0);
        if (shown > lane.marks.length) found.push([lane.id, zoom, "a mark twice"]);
        words += items.length;
      }
    }
  }
  return { found: found.slice(0, 5), words };
}"""

SUMMARIES = """async () => {
  const { Viewport } = await import("/static/js/timeline/viewport.js");
  const { layoutMarks } = await import("/static/js/timeline/mark-layout.js");
  const viewport = new Viewport();
  viewport.width = 900;
  viewport.show(0, 900_000);
  const mark = (type, index) => ({ t: 100_000 + index * 2000, seq: index, type, text: type, data: {} });
  const room = { viewport, end_ms: 900_000, measure: (size, weight, words) => words.length * 6 };
  const said = (kind, types) => layoutMarks({ kind, marks: types.map(mark) }, room).map((item) => item.words);
  return [
    said("probe", ["success", "success", "failure", "success", "failure"]),
    said("probe", ["success", "success", "success"]),
    said("events", ["Normal", "Warning", "Normal", "Normal"]),
    said("events", ["Normal", "Normal"]),
  ];
}"""


def rows_of(story: Story) -> list[list[object]]:
    """The records of a story played with its suggested acts, in wire format."""
    world = new_world(story_content(story).header)
    records = list(world.first_records)
    for step in story.answer_steps():
        records += advance(world, until_ms=step.at_ms).records
        records += apply(world, step.command)
    records += advance(world, until_ms=horizon_ms(story.expect)).records
    return [row(record) for record in records]


def row(record) -> list[object]:
    fields = [record.seq, record.at_ms, record.kind, record.subject, record.machine, record.source, record.trigger, record.target]
    return json.loads(json.dumps([*fields, record.cause, record.rule, [list(pair) for pair in record.data]]))


@pytest.fixture
def page(visit):
    return visit().open("/new/")


def test_no_word_and_no_mark_lies_over_another_at_any_zoom(page):
    for story in read_stories():
        result = page.evaluate(OVERLAPS, rows_of(story))
        assert result["found"] == [], story.slug
        assert result["words"] > 100


def test_cluster_says_how_many_it_holds_and_how_many_of_them_are_the_worst(page):
    assert page.evaluate(SUMMARIES) == [["2 ✕ / 5"], ["3 ✓"], ["1 △ / 4"], ["2 ○"]]
