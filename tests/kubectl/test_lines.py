"""What the kubectl tab prints for each of the lines that are compared with real kubectls (``tests/door/test_tab_and_kubectl.py``).

Those comparisons take minutes, so each run makes a few of them. The outputs that they were made with are kept here: an unintended change is
seen at once, and an intended one is to be compared again (``pytest tests/door/test_tab_and_kubectl.py --all-stories``).
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from simulator.headless.session import Session
from tests.door.comparing import session_of
from tests.door.lines_to_compare import reading, writing

SHOWN_MAX = 8
"""So many lines of an output are kept in full; more of them only as a digest."""


def told(session: Session, line: str, given: str) -> Iterator[str]:
    """A line, its output as it is kept, and its exit code unless that is 0."""
    asked = Session(session.world, session.records, now_ms=session.now_ms)
    said = asked.ask(f"kubectl {line}" + (f" <<'EOF'\n{given}EOF" if given else ""))
    first = given.partition("metadata: ")[2].partition("\n")[0]
    yield f"$ kubectl {line}" + (f" < {first}" if given else "")
    lines = said.splitlines()
    yield from (f"  {text}".rstrip() for text in lines[:SHOWN_MAX])
    if len(lines) > SHOWN_MAX:
        yield f"  … {len(lines)} lines, {hashlib.sha256(said.encode()).hexdigest()[:16]}"
    if asked.exit_code:
        yield f"  exit {asked.exit_code}"


def test_each_line_prints_what_it_printed_when_it_was_compared(golden: Callable[[Path, str], None]) -> None:
    text = ""
    for version in ("1.20", "1.37"):
        session = session_of(version)
        lines = (text for line, given in (*reading(), *writing()) for text in told(session, line, given))
        text += "\n".join((f"== {version}", *lines)) + "\n"
    golden(Path(__file__).parent / "golden" / "lines.txt", text)
