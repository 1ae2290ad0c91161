"""Clues in kubectl's human-readable output: ``describe pod``, ``get pods`` and ``get events``."""

import re

from simulator.remedies.clue import CLUES_MAX, STATE_KINDS, Clue, Clues, PodFacts

LINE_MAX = 4000
"""The most characters of a line that are read, so that no pattern takes long on text that no kubectl prints."""
_DESCRIBED = re.compile(r"^Name:\s+(\S+)\s*$")
_FIELD = re.compile(r"^(\s*)([A-Z][A-Za-z ]*):\s*(.*)$")
_CONTAINER = re.compile(r"^  ([a-z0-9](?:[a-z0-9-]*[a-z0-9])?):\s*$")
_EVENT_ROW = re.compile(
    r"^(?:(?P<space>[a-z0-9-]+)\s+)?(?P<seen>\S+(?: \(x\d+ over \S+\))?)\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w+)\s+"
    r"(?:pod/(?P<pod>\S+)|\w+/\S+)\s+(?P<message>.+)$"
)
_DESCRIBED_EVENT = re.compile(
    r"^\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w+)\s+(?P<age>\S+(?: \(x\d+ over \S+\))?)\s+"
    r"(?P<by>\S+(?:, \S+)?)\s{2,}(?P<message>.+)$"
)
_POD_ROW = re.compile(
    r"^(?:(?P<space>[a-z0-9-]+)\s+)?(?P<pod>[a-z0-9][a-z0-9.-]*)\s+(?P<ready>\d+)/(?P<of>\d+)\s+(?P<word>[A-Z][\w:/-]*)\s+(?P<restarts>\d+)\b"
)


def clues_of_print(text: str) -> Clues:
    """The clues in describe output and tables, line by line."""
    clues = Clues({}, [])
    described = _Described()
    for number, whole in enumerate(text.split("\n"), start=1):
        line = whole[:LINE_MAX].rstrip()
        if len(clues.found) >= CLUES_MAX:
            break
        if (row := _EVENT_ROW.match(line)) is not None and row["pod"]:
            facts = _facts(clues, row["pod"], row["space"] or "")
            clues.found.append(
                Clue(pod=facts, kind="event", word=row["reason"], of=row["type"], said=row["message"], lines=(number,))
            )  # fmt: skip
        elif (pod := _POD_ROW.match(line)) is not None:
            key = _facts(clues, pod["pod"], pod["space"] or "")
            clues.pods[key].is_ready = pod["ready"] == pod["of"] and pod["word"] == "Running"
            word = "NotReady" if pod["word"] == "Running" and pod["ready"] != pod["of"] else pod["word"]
            clues.found.append(Clue(pod=key, kind="status", word=word, lines=(number,)))
        else:
            described.read(clues, number, line)
    return clues


def _facts(clues: Clues, name: str, namespace: str) -> str:
    key = f"{namespace or 'default'}/{name}"
    if key not in clues.pods:
        clues.pods[key] = PodFacts(name=name, namespace=namespace or "default", names={"pod": name})
    return key


class _Described:
    """Reads ``kubectl describe pod`` line by line and keeps track of the pod, container and state that the next line is about."""

    def __init__(self) -> None:
        self.key = self.container = self.state = ""
        self.at = 0
        self.in_events = self.in_conditions = False

    def read(self, clues: Clues, number: int, line: str) -> None:
        """Read one more line; its clues are added to ``clues``."""
        if (name := _DESCRIBED.match(line)) is not None:
            self.__init__()  # type: ignore[misc]
            self.key = _facts(clues, name[1], "")
        if not self.key:
            return
        if line[:1] not in (" ", "\t", ""):
            self.in_events, self.in_conditions = line.startswith("Events:"), line.startswith("Conditions:")
        if self.in_events and (row := _DESCRIBED_EVENT.match(line)) is not None:
            clues.found.append(Clue(pod=self.key, kind="event", word=row["reason"], of=row["type"], said=row["message"], lines=(number,)))
        elif self.in_conditions and line.split()[:1] == ["Ready"]:
            clues.pods[self.key].is_ready = line.split()[1:] == ["True"]
        elif (found := _CONTAINER.match(line)) is not None:
            self.container, self.state = found[1], ""
        elif (field := _FIELD.match(line)) is not None:
            self._field(clues, number, field[1], field[2], field[3])

    def _field(self, clues: Clues, number: int, indent: str, name: str, value: str) -> None:
        facts = clues.pods[self.key]
        if not indent:
            self._of_pod(clues, number, name, value)
        elif name in ("State", "Last State"):
            self.state, self.at = f"{name}/{value.lower()}", number
        elif name == "Reason" and self.state:
            kind = self.state.partition("/")[2]
            if kind in STATE_KINDS:
                is_last = self.state.startswith("Last")
                clue = Clue(pod=self.key, kind=kind, word=value, container=self.container, lines=(number,), is_last=is_last)
                clues.found.append(clue)
        elif name in ("Exit Code", "Message") and self.state and clues.found and clues.found[-1].container == self.container:
            last = clues.found[-1]
            more = f"exitCode={value}" if name == "Exit Code" else value
            lines = (*last.lines, number)
            clues.found[-1] = Clue(
                pod=last.pod, kind=last.kind, word=last.word, container=last.container, said=f"{last.said} {more}".strip(), lines=lines,
                is_last=last.is_last,
            )  # fmt: skip
        elif name == "ClaimName":
            facts.names.setdefault("claim", value)

    def _of_pod(self, clues: Clues, number: int, name: str, value: str) -> None:
        facts = clues.pods[self.key]
        if name == "Namespace" and value:
            del clues.pods[self.key]
            facts.namespace = value
            self.key = f"{value}/{facts.name}"
            clues.pods[self.key] = facts
        elif name == "Node" and value and value != "<none>":
            facts.names["node"], facts.is_placed = value.partition("/")[0], True
        elif name == "Reason":
            clues.found.append(Clue(pod=self.key, kind="pod", word=value, lines=(number,)))
        elif name == "Status" and value.startswith("Terminating"):
            clues.found.append(Clue(pod=self.key, kind="status", word="Terminating", lines=(number,)))
        elif name == "Status" and value == "Pending":
            clues.found.append(Clue(pod=self.key, kind="status", word="Pending", lines=(number,)))
        elif name == "Controlled By":
            kind, _, owner = value.partition("/")
            if kind == "ReplicaSet":
                facts.names |= {"replicaset": owner, "deployment": owner.rpartition("-")[0]}
            elif owner:
                facts.names |= {kind.lower(): owner, "owner": f"{kind.lower()}/{owner}"}
