"""Lay out a graph of states in one row: neighbours are joined by straight lines, all others by tracks above and below.

The states are in the order of their table, which is that of a life cycle: edges that lead forward go above the row,
edges that lead back below it. A track is as close to the row as overlapping tracks allow, the shortest closest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NODE_H = 36
TRACK = 18
FIRST = 22
"""The nearest track's distance from the row."""
MARGIN = 12
ROUND = 7
CHAR = 6.3
"""Width of a character of a label."""
GAP_MIN = 34
LINE = 11
"""The line height of labels between neighbours."""
WORD_MAX = 8
"""Longer words between neighbours are wrapped at their underscores."""
LOOP = 13
ARROW = 6

Ends = tuple[str, str]


@dataclass(frozen=True)
class Node:
    """A state's box; ``x`` and ``y`` are its top left corner."""

    name: str
    x: int
    y: int
    width: int
    height: int = NODE_H


@dataclass(frozen=True)
class Drawn:
    """An edge: its path, its arrow head, and the positions of its labels, centred, one per line."""

    ends: Ends
    path: str
    arrow: str
    labels: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class Graph:
    """The whole picture in the units of its view box."""

    width: int
    height: int
    nodes: tuple[Node, ...]
    lines: tuple[Drawn, ...]


def graph_of(states: Sequence[str], edges: Mapping[Ends, Sequence[str]], *, loops: bool = True) -> Graph:
    """Lay out states, and edges with their labels. O(edges²), about 0.2 ms for the largest machine."""
    at = {name: index for index, name in enumerate(states)}
    ahead = [ends for ends in edges if at[ends[1]] > at[ends[0]] + 1]
    back = [ends for ends in edges if at[ends[1]] < at[ends[0]]]
    over, under = _tracks(ahead, at), _tracks(back, at)
    top = MARGIN + (FIRST + TRACK * max(over.values()) + LINE if over else 0)
    nodes = _row(states, edges, at, top)
    ports = _Ports(nodes, at, ahead, back)
    lines = tuple(line for ends, words in edges.items() if (line := _line(ends, tuple(words), nodes, ports, over | under, at, loops=loops)))
    depth = FIRST + TRACK * max(under.values()) + MARGIN if under else LOOP + MARGIN
    last = nodes[states[-1]]
    return Graph(last.x + last.width + MARGIN, top + NODE_H + depth, tuple(nodes.values()), lines)


def _broken(words: Sequence[str]) -> list[str]:
    """Wrap words into short lines."""
    lines: list[str] = []
    for word in words:
        line = ""
        for part in word.replace("_", "_\n").split("\n"):
            if line and len(line + part) > WORD_MAX:
                lines.append(line)
                line = ""
            line += part
        lines.append(line)
    return lines


def _row(states: Sequence[str], edges: Mapping[Ends, Sequence[str]], at: Mapping[str, int], top: int) -> dict[str, Node]:
    """The boxes, each as wide as its name and ports need, with room for labels between neighbours."""
    nodes: dict[str, Node] = {}
    x = MARGIN
    for name in states:
        ports = sum(1 for ends in edges if name in ends and abs(at[ends[0]] - at[ends[1]]) > 1)
        width = max(64, round(len(name) * 7) + 30, ports * 10)
        nodes[name] = Node(name, x, top, width)
        following = next((other for other in states if at[other] == at[name] + 1), "")
        longest = max((len(line) for line in _broken(edges.get((name, following), ()))), default=0)
        x += width + max(GAP_MIN, round(longest * CHAR) + 16)
    return nodes


def _tracks(edges: Sequence[Ends], at: Mapping[str, int]) -> dict[Ends, int]:
    """The track of each edge, 0 being closest to the row: the shortest edges first, each on the first free track along its way."""
    taken: list[list[tuple[int, int]]] = []
    found: dict[Ends, int] = {}
    for ends in sorted(edges, key=lambda ends: (_length(ends, at), min(at[ends[0]], at[ends[1]]))):
        first, last = sorted((at[ends[0]], at[ends[1]]))
        level = 0
        while level < len(taken) and any(first < end and begin < last for begin, end in taken[level]):
            level += 1
        if level == len(taken):
            taken.append([])
        taken[level].append((first, last))
        found[ends] = level
    return found


def _length(ends: Ends, at: Mapping[str, int]) -> int:
    return abs(at[ends[0]] - at[ends[1]])


class _Ports:
    """Where edges leave and enter the boxes, in an order in which the edges of one box do not cross."""

    def __init__(self, nodes: Mapping[str, Node], at: Mapping[str, int], ahead: Sequence[Ends], back: Sequence[Ends]) -> None:
        self.leaves: dict[Ends, int] = {}
        self.reaches: dict[Ends, int] = {}
        for name, node in nodes.items():
            shortest = [sorted(edges, key=lambda ends: _length(ends, at)) for edges in (ahead, back)]
            ahead_in = [ends for ends in shortest[0] if ends[1] == name]
            ahead_out = [ends for ends in reversed(shortest[0]) if ends[0] == name]
            back_out = [ends for ends in shortest[1] if ends[0] == name]
            back_in = [ends for ends in reversed(shortest[1]) if ends[1] == name]
            self._spread(node, [(ends, self.reaches) for ends in ahead_in], [(ends, self.leaves) for ends in ahead_out])
            self._spread(node, [(ends, self.leaves) for ends in back_out], [(ends, self.reaches) for ends in back_in])

    def _spread(self, node: Node, left: list[tuple[Ends, dict[Ends, int]]], right: list[tuple[Ends, dict[Ends, int]]]) -> None:
        """Put edges from or to the left on the left of the middle, the others on the right."""
        middle, half = node.x + node.width / 2, node.width / 2 - 8
        for side, start in ((left, middle - half), (right, middle + 5)):
            step = (half - 5) / max(len(side), 1)
            for index, (ends, places) in enumerate(side):
                places[ends] = round(start + step * (index + 0.5))


def _line(
    ends: Ends,
    words: tuple[str, ...],
    nodes: Mapping[str, Node],
    ports: _Ports,
    tracks: Mapping[Ends, int],
    at: Mapping[str, int],
    *,
    loops: bool,
) -> Drawn | None:
    source, target = nodes[ends[0]], nodes[ends[1]]
    if source is target:
        return _loop(ends, source) if loops else None
    if at[ends[1]] == at[ends[0]] + 1:
        return _straight(ends, words, source, target)
    is_over = at[ends[1]] > at[ends[0]]
    edge = source.y if is_over else source.y + NODE_H
    distance = FIRST + TRACK * tracks[ends]
    return _bent(ends, words, ports.leaves[ends], ports.reaches[ends], edge, -distance if is_over else distance)


def _straight(ends: Ends, words: tuple[str, ...], source: Node, target: Node) -> Drawn:
    y = source.y + NODE_H // 2
    begin, end = source.x + source.width, target.x
    middle = (begin + end) // 2
    lines = _broken(words)
    above = (len(lines) + 1) // 2
    labels = tuple(
        (middle, y - 4 - LINE * (above - 1 - index) if index < above else y + LINE * (index - above + 1), line)
        for index, line in enumerate(lines)
    )
    return Drawn(ends, f"M{begin} {y}H{end - ARROW}", f"M{end} {y}l{-ARROW - 2} -4v8z", labels)


def _bent(ends: Ends, words: tuple[str, ...], begin: int, end: int, edge: int, distance: int) -> Drawn:
    """An edge from one box over a track to another; ``distance`` is negative for tracks above the row."""
    side = 1 if end > begin else -1
    up = 1 if distance > 0 else -1
    y = edge + distance
    path = (
        f"M{begin} {edge}V{y - up * ROUND}q0 {up * ROUND} {side * ROUND} {up * ROUND}H{end - side * ROUND}"
        f"q{side * ROUND} 0 {side * ROUND} {-up * ROUND}V{edge + up * ARROW}"
    )
    arrow = f"M{end} {edge}l-4 {up * (ARROW + 2)}h8z"
    return Drawn(ends, path, arrow, (((begin + end) // 2, y - 4, ", ".join(words)),) if words else ())


def _loop(ends: Ends, node: Node) -> Drawn:
    """An edge from a state to itself."""
    x, y = node.x + node.width // 2, node.y + NODE_H
    return Drawn(ends, f"M{x - 5} {y}c-6 {LOOP + 4} 16 {LOOP + 4} 10 {ARROW - 2}", f"M{x + 5} {y}l-4 {ARROW + 2}h8z", ())
