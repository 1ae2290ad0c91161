"""A recording of a real node, and the run that should reproduce it: same manifests, same steps, same cluster, same version."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import NodeSpec, RunHeader
from simulator.engine.apiserver.store.unacted import WITHOUT_CONTROLLER
from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.json_text import decode
from simulator.headless.inputs import BadInput, Inputs, header_of

_KINDS = "|".join(sorted(WITHOUT_CONTROLLER))
_COUNTED = re.compile(r"\b0/(\d+) nodes are available: ")
CONTROLLED = re.compile(rf"^\s*(?:- )?kind: (?:{_KINDS})\b", re.MULTILINE)
"""An object of a kind whose controller is not simulated."""


class Recording(Struct, frozen=True, kw_only=True):
    """A recording in a folder.

    ``NAME.json`` is what was observed, ``NAME.yaml`` what was created, ``NAME.script.yaml`` what was done then.
    """

    name: str
    folder: Path
    cluster: Path
    seen: dict[str, Any]

    @property
    def duration_s(self) -> float:
        """How long the cluster was observed."""
        return float(self.seen["duration"])

    def header(self, *, seed: int | None = None) -> RunHeader:
        """The run that should reproduce it; without ``seed`` everything random has its mean.

        Raises ValueError if the files cannot be read or are not accepted.
        """
        manifest, steps = self._files()
        inputs = Inputs(
            files=(str(manifest),),
            script=str(steps) if steps.is_file() else None,
            cluster=str(self.cluster),
            kubernetes=".".join(self.seen["kubernetes"].removeprefix("v").split(".")[:2]),
            namespace=self.name,
            seed=seed,
            lenient=True,
        )
        try:
            header = header_of(inputs, lambda name, problem: None)
        except (BadInput, EngineError, ValueError) as error:
            raise ValueError(f"{self.name} could not be simulated: {error}") from error
        return replace(header, cluster=replace(header.cluster, nodes=self._nodes_there(header.cluster.nodes)))

    def _nodes_there(self, nodes: tuple[NodeSpec, ...]) -> tuple[NodeSpec, ...]:
        """The nodes of the cluster file that existed when it was recorded.

        The recordings in a folder share that file, but their cluster grew while they were made. If the scheduler says
        how many nodes it considered, the nodes beyond that number did not exist yet, unless the recording names them.
        """
        seen = json.dumps(self.seen)
        text = "\n".join([seen, *(file.read_text(encoding="utf-8") for file in self._files() if file.is_file())])
        counted = max(map(int, _COUNTED.findall(seen)), default=len(nodes))
        late = [node.name for node in nodes[counted:] if not re.search(rf"\b{re.escape(node.name)}\b", text)]
        return tuple(node for node in nodes if node.name not in late)

    def _files(self) -> tuple[Path, Path]:
        """Its manifest, and its script, which may be missing."""
        return self.folder / f"{self.name}.yaml", self.folder / f"{self.name}.script.yaml"


def read_recordings(folder: Path, cluster: Path) -> tuple[list[Recording], list[Recording]]:
    """The recordings in a folder by name: those that can be reproduced, and those that need a controller. Raises OSError, ValueError."""
    found = list(_read(folder, cluster))
    own = [item for item in found if not needs_controller(folder, item.name)]
    return own, [item for item in found if needs_controller(folder, item.name)]


def _read(folder: Path, cluster: Path) -> Iterator[Recording]:
    for path in sorted(folder.glob("*.json")):
        yield Recording(name=path.stem, folder=folder, cluster=cluster, seen=decode(path.read_text(encoding="utf-8")))


def needs_controller(folder: Path, name: str) -> bool:
    """Whether the manifest or a step of the recording needs a controller that is not simulated."""
    files = (folder / f"{name}.yaml", folder / f"{name}.script.yaml")
    return any(file.is_file() and CONTROLLED.search(file.read_text(encoding="utf-8")) for file in files)
