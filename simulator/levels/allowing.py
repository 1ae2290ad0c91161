"""Which acts a level allows, and what is said of one that it does not."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

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
"""What acts are called whose tags are no words of kubectl or of scripts; several acts may be one word there."""


def act_word(do: str) -> str:
    """What an act is called where it stands for all of its kind: ``set image`` for ``set_pod_image``. The same in every language."""
    return _WORDS.get(do, do.replace("_", " "))


def act_words_of(names: Iterable[str]) -> str:
    """Several acts, each word once, in their order."""
    return ", ".join(dict.fromkeys(act_word(name) for name in names))


_PART_OF = {"write_to_exec": "exec"}
"""Acts that go on with another one, which brings them along."""


def allows(allow: Sequence[str], do: str) -> bool:
    """Whether an act is part of a level. An empty ``allow`` means every act."""
    return not allow or do in allow or _PART_OF.get(do) in allow


def refused_by_level(allow: Sequence[str], do: str) -> str:
    """Why an act is no part of a level, in the reader's language; "" for one that is. An empty ``allow`` means every act."""
    if allows(allow, do):
        return ""
    return _("This level does not allow %(act)s. It allows %(acts)s.") % {"acts": act_words_of(allow), "act": act_word(do)}
