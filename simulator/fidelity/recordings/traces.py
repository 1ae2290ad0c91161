"""What happened to each pod in a recording, compared with the trace of the run that reproduces it.

The comparer is a separate program, because it is used elsewhere as well: a Python file whose ``main([RECORDING,
TRACE])`` prints ``ok NAME: 4/4 aspects agree`` or ``FAIL …`` and a line for each difference. It is loaded once and
called in this process.
"""

import json
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from simulator.engine.kernel.errors import EngineError
from simulator.fidelity.recordings.played import Recording
from simulator.headless.trace import TraceRecorder

MARGIN_S = 20
"""How much longer than a recording its simulation runs, so that an object that should be gone is noticed."""
_AGREE = re.compile(r"(\d+)/(\d+) aspects")
Comparer = Callable[[list[str]], object]


class Compared(Struct, frozen=True):
    """How many aspects of a recording agree, and the lines about those that do not."""

    name: str
    agree: int
    total: int
    lines: tuple[str, ...]


def load_comparer(path: Path) -> Comparer:
    """The ``main`` of a Python file. Raises ValueError if it has none or cannot be loaded."""
    spec = spec_from_file_location("comparer_of_traces", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python program")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a foreign file raises, the error must say which file it was
        raise ValueError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    main = getattr(module, "main", None)
    if not callable(main):
        raise ValueError(f"{path} has no function main")
    return main  # type: ignore[no-any-return]


def compare_traces(recordings: list[Recording], comparer: Comparer) -> list[Compared]:
    """Simulate every recording and compare it. Raises ValueError if one cannot be: none may be dropped from the count."""
    with TemporaryDirectory() as scratch:
        return [_compared(item, comparer, Path(scratch)) for item in recordings]


def _compared(item: Recording, comparer: Comparer, scratch: Path) -> Compared:
    made = scratch / f"{item.name}.json"
    made.write_text(json.dumps(trace_of(item), ensure_ascii=False), encoding="utf-8")
    said = StringIO()
    try:
        with redirect_stdout(said):
            comparer([str(item.folder / f"{item.name}.json"), str(made)])
    except (Exception, SystemExit) as error:
        raise ValueError(f"{item.name} could not be compared: {type(error).__name__}: {error}") from error
    head, *lines = said.getvalue().splitlines() or [""]
    found = _AGREE.search(head)
    if found is None:
        raise ValueError(f"{item.name} could not be compared: {head}")
    differing = () if head.startswith("ok") else tuple(line.strip() for line in lines)
    return Compared(item.name, int(found[1]), int(found[2]), differing)


def trace_of(item: Recording) -> dict[str, object]:
    """The trace of the run that reproduces a recording, as ``simulate --format trace`` prints it. Raises ValueError."""
    try:
        recorder = TraceRecorder(item.header())
    except EngineError as error:
        raise ValueError(f"{item.name} could not be simulated: {error}") from error
    recorder.run(round(1000 * (item.duration_s + MARGIN_S)))
    return recorder.trace(scenario=item.name)
