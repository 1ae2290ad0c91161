"""Recognises loops that only sleep: ``while true; do sleep 5; done``.

How often such a loop iterates cannot be observed, so it is not resumed until a signal or another process needs it. Its
phase still matters (a trap waits for the end of the current sleep) and is computed then.
"""

from simulator.engine.containers.syntax.ast import Node, Sequence, Simple

_ENDLESS = ("true", ":")
_WAITS = ("wait",)


def _words(node: Node) -> tuple[str, ...] | None:
    """The fixed words of a plain simple command; ``$!`` counts as fixed."""
    if not isinstance(node, Simple) or node.assigns or node.redirects or not node.words:
        return None
    words = []
    for word in node.words:
        if word.const is not None:
            words.append(word.const)
        elif len(word.parts) == 1 and getattr(word.parts[0], "name", "") == "!":
            words.append("$!")
        else:
            return None
    return tuple(words)


def _always(condition: Node, *, until: bool) -> bool:
    if not isinstance(condition, Sequence) or len(condition.items) != 1 or condition.items[0].background:
        return False
    words = _words(condition.items[0].node)
    if until:
        return words == ("false",)
    return words is not None and (words[0] in _ENDLESS or words in (("[", "1", "]"), ("test", "1")))


def only_sleeps(condition: Node, body: Node, *, until: bool) -> int:
    """1 if the loop never ends by itself and its body is one sleep (in the background if followed at once by a ``wait``).

    2 if that ``wait`` is for every child, so that it only counts while there is no other; 0 for any other loop.
    """
    if not _always(condition, until=until) or not isinstance(body, Sequence):
        return 0
    sleeps, waiting, kind = 0, False, 1
    for item in body.items:
        words = _words(item.node)
        if words is None or (waiting and words[0] not in _WAITS):
            return 0
        if words[0] == "sleep" and len(words) == 2:
            sleeps += 1
            # ``sleep 5 & wait``: the idiom that keeps a shell responsive to signals, since wait is interrupted by a trap.
            waiting = item.background
        elif words[0] in _WAITS and waiting and not item.background and words[1:] in ((), ("$!",)):
            waiting = False
            kind = 1 if words[1:] else 2
        elif words not in ((":",), ("true",)):
            return 0
    return kind if sleeps == 1 and not waiting else 0
