"""The defaults that a pod is shown with, by the profile of its run; what they are stands in ``api.defaults``."""

from typing import Any

from simulator.engine.api.defaults import pod
from simulator.engine.api.defaults.admission import admit, token_volume
from simulator.engine.api.defaults.pod import PodDefaults
from simulator.engine.profile.fields import Profile

__all__ = ["admit", "fill_spec", "pod_defaults", "token_volume"]


def pod_defaults(profile: Profile) -> PodDefaults:
    """What the version of a run, with the gates set for it, fills in."""
    return PodDefaults(
        resize_policy=profile.in_place_resize,
        image_volumes=profile.image_volumes,
        pod_level=profile.pod_level_resources,
        template_host_ports=False,
    )


def fill_spec(spec: dict[str, Any], *, resize_policy: bool) -> None:
    """Fill the defaults of a pod's spec in, in place. ``resize_policy``: the version knows in-place resize."""
    pod.fill_spec(spec, rules=PodDefaults(resize_policy=resize_policy, image_volumes=True, pod_level=True, template_host_ports=False))
