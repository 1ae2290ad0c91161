"""Which acts a level allows, and the message about one that it does not."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from simulator.engine.acts.act import do_of
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.kernel.command import Command

_WORDS = {
    "delete_pod": "delete",
    "delete_pods": "delete",
    "patch_pod": "patch",
    "resize_pod": "resize",
    "debug_pod": "debug",
    "set_pod_image": "set image",
    "set_workload_image": "set image",
    "rollout_pause": "rollout pause/resume",
    "cordon": "cordon/uncordon",
    "remove_scheduling_gates": "ungate",
    "exit_container": "exit",
    "signal_container": "signal",
    "hang_container": "hang",
    "oom_container": "OOM",
    "set_image": "registry",
    "node": "kubelet/runtime",
}
"""The names of acts whose tags are not words of kubectl or of scripts; several acts may share a name."""


def act_word(do: str) -> str:
    """The name of a kind of act: ``set image`` for ``set_pod_image``. The same in every language."""
    return _WORDS.get(do, do.replace("_", " "))


def act_words_of(names: Iterable[str]) -> str:
    """The names of several acts, in order and without duplicates."""
    return ", ".join(dict.fromkeys(act_word(name) for name in names))


CREATE = "create"
"""What ``apply`` is called where it only creates, as ``kubectl create`` does: a level may allow just that."""
_PART_OF = {"write_to_exec": "exec", CREATE: "apply"}
"""Acts that continue another one, or do only a part of it, and are allowed together with it."""


def allowed_as(command: Command) -> str:
    """What a level has to allow for a command: its tag, or ``create``."""
    return CREATE if isinstance(command, ApplyManifest) and command.create else do_of(command)


def allows(allow: Sequence[str], do: str) -> bool:
    """Whether a level allows an act. An empty ``allow`` means every act."""
    return not allow or do in allow or _PART_OF.get(do) in allow


def refused_by_level(allow: Sequence[str], do: str) -> str:
    """Why a level does not allow an act, in the reader's language; "" if it does. An empty ``allow`` means every act."""
    if allows(allow, do):
        return ""
    return _("This level does not allow %(act)s. It allows %(acts)s.") % {"acts": act_words_of(allow), "act": act_word(do)}
