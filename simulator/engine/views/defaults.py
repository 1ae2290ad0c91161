"""The defaults that a pod is shown with, by the profile of its run; what they are stands in ``api.defaults``."""

from simulator.engine.api.defaults.pod import PodDefaults
from simulator.engine.profile.fields import Profile


def pod_defaults(profile: Profile) -> PodDefaults:
    """What the version of a run, with the gates set for it, fills in."""
    return PodDefaults(
        resize_policy=profile.in_place_resize,
        image_volumes=profile.image_volumes,
        pod_level=profile.pod_level_resources,
        template_host_ports=False,
    )
