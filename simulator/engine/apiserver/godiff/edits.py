"""The edits that turn one list into another: a search from both ends that meets in the middle, good rather than optimal.

The text of a refused update shows a diff, and users compare it with what their cluster prints. So
the algorithm has to be go-cmp's with its quirks, not a better one.

Two greedy paths run through the grid of both lists, one from the beginning and one from the end. In
turn each searches zigzag along the anti-diagonal through its frontier for a pair of equal items,
follows the run of equal pairs, and then moves its frontier by one towards the other. They stop when
they meet or when the budget of comparisons is used up, and what lies between them is connected step
by step: equal pairs stay, similar ones count as changed, others are removed on one side and added
on the other.

The result depends on which path goes first and which way each turns first.

Source: go-cmp cmp/internal/diff/diff.go Difference.
"""

from collections.abc import Callable

from msgspec import Struct

SAME, CHANGED, ONLY_X, ONLY_Y = "=", "~", "x", "y"


class Likeness(Struct, frozen=True):
    """How many parts of two items are the same and how many differ."""

    same: int
    different: int

    @property
    def is_equal(self) -> bool:
        """Nothing differs."""
        return self.different == 0

    @property
    def is_similar(self) -> bool:
        """Enough is the same to call one item a changed form of the other."""
        # upstream: at least about as many parts equal as different.
        return self.same + 1 >= self.different


Compare = Callable[[int, int], Likeness]


class _Path:
    """A path through the grid of both lists; ``step`` is +1 from the beginning and -1 from the end."""

    def __init__(self, step: int, x: int, y: int) -> None:
        self.step, self.x, self.y = step, x, y
        self.edits: list[str] = []

    def append(self, edit: str) -> None:
        self.edits.append(edit)
        self.x += self.step * (edit != ONLY_Y)
        self.y += self.step * (edit != ONLY_X)

    def next_pair(self) -> tuple[int, int]:
        return (self.x, self.y) if self.step > 0 else (self.x - 1, self.y - 1)

    def connect(self, x: int, y: int, compare: Compare) -> None:
        while (x - self.x) * self.step > 0 and (y - self.y) * self.step > 0:
            likeness = compare(*self.next_pair())
            if likeness.is_equal:
                self.append(SAME)
            elif likeness.is_similar:
                self.append(CHANGED)
            elif self.step > 0:
                self.append(ONLY_X if x - self.x >= y - self.y else ONLY_Y)
            else:
                self.append(ONLY_Y if self.y - y >= self.x - x else ONLY_X)
        while self.x != x:
            self.append(ONLY_X)
        while self.y != y:
            self.append(ONLY_Y)


def edit_script(len_x: int, len_y: int, compare: Compare) -> list[str]:
    """The edits in order. Cost: O(len_x + len_y) comparisons."""
    forward, backward = _Path(1, 0, 0), _Path(-1, len_x, len_y)
    ahead, behind = [0, 0], [len_x, len_y]
    # The budget keeps the search linear; when it is used up, the gap is bridged without a search.
    budget = [4 * (len_x + len_y)]
    while True:
        for own, other, frontier in ((forward, backward, ahead), (backward, forward, behind)):
            if ahead[0] >= behind[0] or ahead[1] >= behind[1] or not budget[0]:
                forward.connect(backward.x, backward.y, compare)
                return [*forward.edits, *reversed(backward.edits)]
            _search(own, other, frontier, compare=compare, budget=budget)
            step = own.step
            axis = 0 if (other.x - frontier[0]) * step >= (other.y - frontier[1]) * step else 1
            frontier[axis] += step


def _search(own: _Path, other: _Path, frontier: list[int], *, compare: Compare, budget: list[int]) -> None:
    """Look on the diagonal through the frontier, to both sides, for equal items, and follow them."""
    step, turn = own.step, 0
    is_done = [False, False]
    while not all(is_done) and budget[0] > 0:
        # 0, -1, 1, -2, 2, …: the diagonal is searched from the frontier outwards.
        off = -((turn + 1) // 2) if turn % 2 else turn // 2
        turn += 1
        x, y = frontier[0] + off * step, frontier[1] - off * step
        if (other.x - x) * step <= 0 or (y - own.y) * step < 0:
            is_done[0] = True
        elif (other.y - y) * step <= 0 or (x - own.x) * step < 0:
            is_done[1] = True
        elif compare(*((x, y) if step > 0 else (x - 1, y - 1))).is_equal:
            own.connect(x, y, compare)
            own.append(SAME)
            while (other.x - own.x) * step > 0 and (other.y - own.y) * step > 0 and compare(*own.next_pair()).is_equal:
                own.append(SAME)
            frontier[:] = [own.x, own.y]
            return
        else:
            budget[0] -= 1
