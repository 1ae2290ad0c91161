"""Build a tree of nodes with positions from YAML events, within limits that no hostile text can exceed.

The tree is built without recursion and without following aliases: an alias shares the node it names, and every node
carries the size and height it would have when written out, so that a "billion laughs" text is refused before anything
expands. The count is updated while a node is being added, at each of its open ancestors, not at the end.

It is a tree rather than values because editors need the position of each key and value. libyaml delivers the events if
it is installed; what kubectl's library reads differently is fixed in the text beforehand (``goyaml``).

Inside the schemas of a CustomResourceDefinition events are only counted. That requires the kind to come before the
spec, as it does in every published file.
"""

from collections.abc import Iterator

import yaml
from msgspec import Struct

from simulator.manifests.problems import ERROR, Problem, Rejected
from simulator.manifests.read.goyaml import Mended, mended, refused_question
from simulator.manifests.read.syntax import syntax_problem
from simulator.manifests.texts import _

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ReadLimits(Struct, frozen=True, kw_only=True):
    """How much of a text is read: bytes, nesting, values per document and in total (aliases count as written out) and documents.

    ``kept_max`` limits the characters without the schemas of CustomResourceDefinitions, which are skipped;
    ``passed_max`` limits the values in those.
    """

    bytes_max: int = 1_000_000
    kept_max: int = 1_000_000
    depth_max: int = 64
    nodes_max: int = 50_000
    all_nodes_max: int = 250_000
    passed_max: int = 1_000_000
    documents_max: int = 200


MANIFEST_LIMITS = ReadLimits(bytes_max=16_000_000, kept_max=4_000_000, documents_max=1000)
"""The limits for a text with objects: what operators and monitoring stacks publish is mostly schemas."""


class Consumed:
    """What has been read of a text so far: ``nodes`` built, ``passed`` values skipped, and the skipped characters as (start, end)."""

    __slots__ = ("nodes", "passed", "spans")

    def __init__(self) -> None:
        self.nodes = 0
        self.passed = 0
        self.spans: list[tuple[int, int]] = []


class YamlNode:
    """A scalar, list or map with its position: line and column from 1, ``start`` and ``end`` in characters from 0.

    ``flow`` marks lists and maps in brackets, ``block`` texts after | or >, ``plain`` texts without quotes.
    """

    __slots__ = ("block", "column", "end", "entries", "flow", "height", "index", "items", "line", "plain", "size", "start", "tag", "text")

    def __init__(self, *, line: int, column: int, tag: str | None, span: tuple[int, int] = (0, 0)) -> None:
        self.line = line
        self.column = column
        self.start, self.end = span
        self.tag = tag
        self.text: str | None = None
        self.plain = False
        self.block = False
        self.flow = False
        self.items: list[YamlNode] | None = None
        self.entries: list[tuple[YamlNode, YamlNode]] | None = None
        self.index: dict[str, int] | None = None  # entries by name, built when many are looked up
        self.size = 1
        self.height = 1


_SCHEMAS = ("versions", "validation")
"""Fields of a CustomResourceDefinition's spec that contain schemas."""


class _Open:
    """A list or map whose end has not been read yet."""

    __slots__ = ("anchor", "is_passed", "key", "node")

    def __init__(self, node: YamlNode, anchor: str | None, *, is_passed: bool = False) -> None:
        self.node = node
        self.anchor = anchor
        self.is_passed = is_passed
        self.key: YamlNode | None = None


def refuse(message: str, *, code: str, line: int, column: int = 1) -> Rejected:
    """The exception for an error at a position."""
    return Rejected(Problem(severity=ERROR, message=message, code=code, line=line, column=column))


def read_nodes(
    text: str, *, first_line: int, first_index: int = 0, limits: ReadLimits, spent: Consumed | None = None
) -> Iterator[YamlNode]:
    """The root node of every document in ``text``; empty documents yield nothing.

    ``first_line`` and ``first_index`` are the line and character of the whole text at which ``text`` begins; ``spent``
    is what the previous parts have used. The ``versions`` and ``validation`` of a CustomResourceDefinition whose kind
    comes before them become empty nodes: nothing is built for them. Raises Rejected. Cost: O(text), 10 µs a value, 2 µs
    a skipped one.
    """
    readable = mended(text, _LOADER)
    builder = _Builder(first_line=first_line, first_index=first_index, limits=limits, readable=readable, spent=spent or Consumed())
    try:
        for event in yaml.parse(readable.text, Loader=_LOADER):
            root = builder.feed(event)
            if root is not None:
                yield root
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text, first_line) from None
    except (yaml.YAMLError, ValueError) as error:
        raise refuse(str(error).splitlines()[0], code="yaml", line=first_line) from None


def _syntax_error(error: yaml.MarkedYAMLError, text: str, first_line: int) -> Rejected:
    message, line, column = syntax_problem(error, text)
    return refuse(message, code="yaml", line=first_line + line, column=column + 1)


class _Builder:
    """Turns events into nodes; one builder per call of ``read_nodes``."""

    def __init__(self, *, first_line: int, first_index: int, limits: ReadLimits, readable: Mended, spent: Consumed) -> None:
        self._readable = readable
        self._spent = spent
        self._passing = 0  # open levels inside what is skipped
        self._first_line = first_line
        self._first_index = first_index
        self._limits = limits
        self._open: list[_Open] = []
        self._anchors: dict[str, YamlNode] = {}

    def feed(self, event: yaml.Event) -> YamlNode | None:
        """Take one event; returns the root node when it completes a non-empty document."""
        if self._passing and self._pass_over(event):
            return None
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors = {}
        elif isinstance(event, yaml.ScalarEvent):
            return self._complete(self._scalar(event), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            return self._add(self._alias(event), event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            if event.end_mark is not None:
                done.node.end = self._first_index + event.end_mark.index
            if done.is_passed:
                self._spent.spans.append((done.node.start, done.node.end))
            return self._complete(done.node, done.anchor)
        return None

    def _node(self, event: yaml.NodeEvent, tag: str | None) -> YamlNode:
        start, end = event.start_mark, event.end_mark
        assert start is not None, event
        assert end is not None, event
        span = (self._first_index + start.index, self._first_index + end.index)
        return YamlNode(line=self._first_line + start.line, column=start.column + 1, tag=tag, span=span)

    def _place(self, event: yaml.Event) -> tuple[int, int]:
        mark = event.start_mark
        assert mark is not None, event
        return self._first_line + mark.line, mark.column + 1

    def _scalar(self, event: yaml.ScalarEvent) -> YamlNode:
        node = self._node(event, event.tag)
        node.text = self._readable.value(event.value, style=event.style)
        node.plain = event.style in (None, "")
        parent = self._open[-1].node if self._open else None
        if node.plain and parent is not None and parent.flow and (problem := refused_question(event, in_map=parent.entries is not None)):
            raise problem
        node.block = event.style in ("|", ">")
        return node

    def _alias(self, event: yaml.AliasEvent) -> YamlNode:
        node = self._anchors.get(event.anchor or "")
        if node is not None:
            return node
        line, column = self._place(event)
        # An anchor is registered once its node is complete; an open node with that anchor is referring to itself.
        if any(item.anchor == event.anchor for item in self._open):
            raise refuse(_('anchor "%s" contains itself') % event.anchor, code="cyclic-anchor", line=line, column=column)
        raise refuse(_('unknown anchor "%s"') % event.anchor, code="unknown-anchor", line=line, column=column)

    def _begin(self, event: yaml.CollectionStartEvent) -> None:
        node = self._node(event, event.tag)
        node.flow = bool(event.flow_style)
        if isinstance(event, yaml.SequenceStartEvent):
            node.items = []
        else:
            node.entries = []
        if len(self._open) >= self._limits.depth_max:
            raise self._too_deep(node.line, node.column)
        # A second anchor with the same name hides the first one even while its own node is still open.
        self._anchors.pop(event.anchor or "", None)
        is_passed = self._is_schema()
        self._passing = int(is_passed)
        self._open.append(_Open(node, event.anchor, is_passed=is_passed))

    def _is_schema(self) -> bool:
        """Whether the list or map that begins contains the schemas of a CustomResourceDefinition, which are not needed."""
        if len(self._open) < 2:
            return False
        spec, whole = self._open[-1], self._open[-2]
        if spec.key is None or spec.key.text not in _SCHEMAS or whole.key is None or whole.key.text != "spec":
            return False
        return any(key.text == "kind" and value.text == "CustomResourceDefinition" for key, value in whole.node.entries or ())

    def _pass_over(self, event: yaml.Event) -> bool:
        """Whether the event is inside what is skipped; the end event of that is not."""
        self._spent.passed += 1
        if isinstance(event, yaml.CollectionStartEvent):
            self._passing += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            self._passing -= 1
        if self._spent.passed > self._limits.passed_max:
            line, column = self._place(event)
            message = _("the CustomResourceDefinition schemas in the manifest contain more than %d values") % self._limits.passed_max
            raise refuse(message, code="too-many-values", line=line, column=column)
        if self._passing + len(self._open) > self._limits.depth_max + 1:
            raise self._too_deep(*self._place(event))
        return self._passing > 0

    def _complete(self, node: YamlNode, anchor: str | None) -> YamlNode | None:
        if anchor is not None:
            self._anchors[anchor] = node
        return self._add(node, None)

    def _add(self, node: YamlNode, event: yaml.Event | None) -> YamlNode | None:
        if not self._open:
            return node
        parent = self._open[-1]
        line, column = (node.line, node.column) if event is None else self._place(event)
        self._grow(parent.node, node, line=line, column=column)
        if parent.node.items is not None:
            parent.node.items.append(node)
        elif parent.key is None:
            parent.key = node
        elif parent.node.entries is not None:
            parent.node.entries.append((parent.key, node))
            parent.key = None
        return None

    def _grow(self, parent: YamlNode, node: YamlNode, *, line: int, column: int) -> None:
        self._spent.nodes += 1
        parent.size += node.size
        parent.height = max(parent.height, node.height + 1)
        if sum(item.node.size for item in self._open) > self._limits.nodes_max:
            message = _("the manifest contains more than %d values once its aliases are expanded") % self._limits.nodes_max
            raise refuse(message, code="too-many-values", line=line, column=column)
        if self._spent.nodes > self._limits.all_nodes_max:
            message = _("the manifest contains more than %d values") % self._limits.all_nodes_max
            raise refuse(message, code="too-many-values", line=line, column=column)
        if len(self._open) + node.height > self._limits.depth_max + 1:
            raise self._too_deep(line, column)

    def _too_deep(self, line: int, column: int) -> Rejected:
        message = _("the manifest is nested deeper than %d levels") % self._limits.depth_max
        return refuse(message, code="too-deep", line=line, column=column)
