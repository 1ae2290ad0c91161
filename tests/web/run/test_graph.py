"""The layout of a graph in one row."""

import re

import pytest

from simulator.engine.projection.diagrams import DRAWN, recorded_diagram
from simulator.web.run.drawing.graph import GAP_MIN, NODE_H, Graph, graph_of


def graphs() -> list[tuple[str, Graph]]:
    found = []
    for name in DRAWN:
        told = recorded_diagram(name, "probe/default/p/c/liveness", [])
        edges = {(edge.source, edge.target): edge.triggers for edge in told.edges}
        found.append((name, graph_of([state.name for state in told.states], edges)))
    return found


@pytest.mark.parametrize(("name", "graph"), graphs())
def test_boxes_are_side_by_side_inside_the_picture(name, graph):
    for box, following in zip(graph.nodes, graph.nodes[1:], strict=False):
        assert box.x + box.width < following.x and box.y == following.y
    assert graph.nodes[-1].x + graph.nodes[-1].width < graph.width and graph.nodes[0].y + NODE_H < graph.height


@pytest.mark.parametrize(("name", "graph"), graphs())
def test_lines_and_words_stay_inside_the_picture(name, graph):
    for line in graph.lines:
        heights = [int(number) for number in re.findall(r"V(-?\d+)", line.path)]
        assert all(0 <= y <= graph.height for y in heights)
        assert all(0 < x < graph.width and 8 <= y <= graph.height for x, y, _word in line.labels), line


def runs(graph: Graph) -> list[tuple[int, int, int]]:
    """The level and the stretch of each track."""
    found = []
    for line in graph.lines:
        told = re.match(r"M(\d+) (\d+)V(\d+)q0 (-?\d+) (-?\d+) -?\d+H(\d+)q(-?\d+)", line.path)
        if told:
            begin, _, up, bend, across, end, more = (int(number) for number in told.groups())
            found.append((up + bend, *sorted((begin + across, end))))
    return found


@pytest.mark.parametrize(("name", "graph"), graphs())
def test_no_two_edges_share_a_stretch_of_a_track(name, graph):
    found = sorted(runs(graph))
    for (level, _, end), (other, begin, _) in zip(found, found[1:], strict=False):
        assert level != other or end <= begin


@pytest.mark.parametrize(("name", "graph"), graphs())
def test_no_two_edges_end_at_the_same_place_of_a_box(name, graph):
    ends = [re.match(r"M(\d+) (\d+)", line.arrow).groups() for line in graph.lines if line.ends[0] != line.ends[1]]
    assert len(set(ends)) == len(ends)


def test_same_graph_is_laid_out_the_same():
    assert graphs() == graphs()


@pytest.fixture
def row() -> Graph:
    """Three states in a row: neighbours with a long label and none, a jump, an edge back and a loop."""
    edges = {("a", "b"): ["some_long_trigger"], ("b", "c"): [], ("a", "c"): ["jump"], ("c", "a"): ["back"], ("b", "b"): ["again"]}
    return graph_of(["a", "b", "c"], edges)


def test_there_is_room_between_neighbours_for_what_leads_from_one_to_the_next(row: Graph) -> None:
    gaps = [following.x - box.x - box.width for box, following in zip(row.nodes, row.nodes[1:], strict=False)]
    assert gaps[0] > gaps[1] == GAP_MIN


def test_box_is_wide_enough_for_its_name() -> None:
    short, long = (box.width for box in graph_of(["a", "ContainerCreating"], {}).nodes)
    assert (short, long) == (64, 17 * 7 + 30)


def test_gap_is_wide_enough_for_the_longest_word_in_it() -> None:
    def gap(words: list[str]) -> int:
        left, right = graph_of(["a", "b"], {("a", "b"): words}).nodes
        return right.x - left.x - left.width

    assert gap(["short", "averylongtrigger"]) == gap(["averylongtrigger", "short"]) == gap(["averylongtrigger"]) > gap(["short"])


def test_box_is_wide_enough_for_the_edges_that_end_at_it_from_afar() -> None:
    far = "cdefghij"
    edges = {("a", other): [other] for other in far} | {("a", "b"): ["next"]}
    widths = [box.width for box in graph_of(["a", "b", *far], edges).nodes]
    assert widths == [len(far) * 10, *[64] * (len(far) + 1)]


def test_edge_to_the_next_state_is_straight_one_that_jumps_goes_above_and_one_back_below(row: Graph) -> None:
    paths = {line.ends: line.path for line in row.lines}
    y = row.nodes[0].y
    assert re.fullmatch(r"M\d+ \d+H\d+", paths["a", "b"]) and re.fullmatch(r"M\d+ \d+H\d+", paths["b", "c"])
    assert int(re.findall(r"V(\d+)", paths["a", "c"])[0]) < y and int(re.findall(r"V(\d+)", paths["c", "a"])[0]) > y + NODE_H


def test_edge_from_a_state_to_itself_is_drawn_where_it_is_wanted() -> None:
    edges = {("a", "a"): ["again"], ("a", "b"): []}
    assert [len(graph_of(["a", "b"], edges, loops=loops).lines) for loops in (True, False)] == [2, 1]


def test_edges_that_overlap_have_tracks_of_their_own_and_others_share_one() -> None:
    jumps = {("a", "c"): ["x"], ("c", "e"): ["y"], ("b", "d"): ["z"]}
    lines = {line.ends: line.labels[0][1] for line in graph_of(list("abcde"), jumps).lines}
    assert lines["a", "c"] == lines["c", "e"] > lines["b", "d"]


def test_labels_beside_an_edge_stand_above_and_below_it() -> None:
    (line,) = graph_of(["a", "b"], {("a", "b"): ["one", "two", "three"]}).lines
    y = int(line.path.split()[1].partition("H")[0])
    assert [at < y for _x, at, _word in line.labels] == [True, True, False]


def test_bent_edge_turns_towards_where_it_ends() -> None:
    edges = {("a", "c"): ["on"], ("c", "a"): ["back"]}
    found = {line.ends: [int(x) for x in re.match(r"M(\d+) \d+V\d+q0 -?\d+ (-?\d+) -?\d+H(\d+)q(-?\d+)", line.path).groups()] for line in
             graph_of(["a", "b", "c"], edges).lines}  # type: ignore[union-attr]  # fmt: skip
    begin, bend, end, last = found["a", "c"]
    assert begin < begin + bend < end and last > 0
    begin, bend, end, last = found["c", "a"]
    assert begin > begin + bend > end and last < 0


@pytest.mark.parametrize(
    ("words", "above"), [(["one"], [True]), (["one", "two"], [True, False]), (["a", "b", "c", "d"], [True, True, False, False])]
)
def test_more_labels_stand_above_an_edge_than_below_it(words: list[str], above: list[bool]) -> None:
    (line,) = graph_of(["a", "b"], {("a", "b"): words}).lines
    y = int(line.path.split()[1].partition("H")[0])
    heights = [at for _x, at, _word in line.labels]
    assert [at < y for at in heights] == above and heights == sorted(set(heights))
