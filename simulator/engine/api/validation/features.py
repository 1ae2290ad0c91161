"""What a version's rules know, by the minor version from which on it is on by default.

Source: pkg/features/kube_features.go. A field whose feature is off is dropped before validation, so that rules need not know it.
"""

from functools import lru_cache

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


@lru_cache(maxsize=128)
def features_of(minor: int) -> frozenset[str]:
    """The features of ``1.<minor>``."""
    return frozenset(name for name, since in _SINCE.items() if since <= minor)
