"""Says why a probe gets 404 of a known server: the simulated one has the page of its image and nothing else."""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.containers.handlers import HandlerAnswer
from simulator.engine.lifecycle.probe_step import FAILURE
from simulator.engine.model.probe import Probe
from simulator.engine.runtime.images import HTTPD_ROOT, NGINX_ROOT
from simulator.engine.runtime.process import Holder
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance, PodRow, ProbeRow

BARE_NOTE = "bare-server"
RULES = (
    RuleText(
        "BARE-SERVER",
        gettext_noop(
            "The simulated nginx and httpd have the page of their image at / and nothing else: any other path is 404 until a volume "
            "or the annotation podscope.dev/behaviour gives it."
        ),
        "our choice; the images' Dockerfiles",
        sure="assumed",
    ),
)
_NAMES = {NGINX_ROOT: "nginx", HTTPD_ROOT: "httpd"}


def tell_bare(fx: Effects, row: PodRow, instance: Instance, probe: Probe | None, held: ProbeRow, answer: HandlerAnswer | None) -> None:
    """A note with the first of some failures in a row that come of a path which a bare server does not have."""
    if probe is None or probe.http_get is None or answer is None or held.outcome or held.worker.last == FAILURE:
        return
    if answer.outcome != "failure" or not answer.output.endswith("statuscode: 404") or instance.process is None:
        return
    roots = (task.body.root for task in instance.process.tasks if isinstance(task.body, Holder) and task.body.site == "files")
    root = next((root for root in roots if root in _NAMES), "")
    if root:
        text = (
            f"The simulated {_NAMES[root]} has / and nothing else, so {probe.http_get.path[:200]} is 404. A file in {root} or a path in "
            "the annotation podscope.dev/behaviour gives it."
        )
        fx.note(f"container/{row.key}/{instance.container}", BARE_NOTE, text, rule="BARE-SERVER")
