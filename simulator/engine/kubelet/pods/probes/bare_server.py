"""Explains why a probe gets 404 from a known server: the simulated one serves its image's default page and nothing else."""

from simulator.engine.containers.images.known import HTTPD_ROOT, NGINX_ROOT
from simulator.engine.containers.process.state import Holder, Process
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

BARE_NOTE = "bare-server"
RULES = (
    RuleText(
        "BARE-SERVER",
        gettext_noop(
            "The simulated nginx and httpd serve only their image’s page at /: any other path returns a 404 "
            "until a volume or the annotation podscope.dev/behaviour provides it."
        ),
        "our choice; the images' Dockerfiles",
        sure="assumed",
    ),
)
_NAMES = {NGINX_ROOT: "nginx", HTTPD_ROOT: "httpd"}


def note_bare_server(fx: Effects, row: PodRow, container: str, path: str, server: tuple[Key, str, int]) -> None:
    """Write a note for the container whose probe of ``path`` got 404 if the instance that answered is a server with one page."""
    instance = find_instance(fx, *server)
    root = _bare_root(instance.process) if instance is not None and instance.process is not None else ""
    if root:
        text = (
            f"The simulated {_NAMES[root]} has / and nothing else, so {path[:200]} is 404. A file in {root} or a path in "
            "the annotation podscope.dev/behaviour gives it."
        )
        fx.note(f"container/{row.key}/{container}", BARE_NOTE, text, rule="BARE-SERVER")


def _bare_root(process: Process) -> str:
    """The document root of a server that has only its image's page; empty if a volume or a program has put something there."""
    roots = (task.body.root for task in process.tasks if isinstance(task.body, Holder) and task.body.site == "files")
    root = next((root for root in roots if root in _NAMES), "")
    mounts = [mount.path.rstrip("/") for mount in process.launch.mounts]
    covered = any(f"{root}/".startswith(f"{path}/") for path in mounts)
    filled = any(path.startswith(f"{root}/") for path in (*mounts, *process.files))
    return "" if covered or filled else root
