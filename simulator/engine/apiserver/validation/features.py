"""What a version's rules know, by the minor version from which on it is on by default.

Source: pkg/features/kube_features.go. A field whose feature is off is dropped before validation, so that rules need not know it.
"""

from functools import lru_cache

from simulator.engine.versions.release import Release

_SINCE = {
    "ExpandedDNSConfig": 26,
    "GRPCContainerProbe": 24,
    "PodHostIPs": 29,
    "PodLifecycleSleepAction": 30,
    "DownwardAPIHugePages": 22,
    "RelaxedDNSSearchValidation": 33,
    "LabelValuesInSelectors": 27,
    "LabelValuesInNodeAffinity": 33,
    "LocalTokenPaths": 26,
    "MinDomainsInPodTopologySpread": 27,
    "BytesAtMost": 32,
    "BlanksInPathsMended": 26,
    "PerSource": 32,
    "PortNamesNeedLetters": 21,
    "ValuesInJson": 34,
}


@lru_cache(maxsize=256)
def features_of(release: Release) -> frozenset[str]:
    """The features of the release; those that are named after a gate follow it where it was set."""
    return frozenset(name for name, since in _SINCE.items() if release.reaches(since, name))
