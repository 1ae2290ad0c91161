"""memory.min and memory.high of a container: what MemoryQoS makes of its request and limit.

Source: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go generateLinuxContainerResources; KEP-2570.
"""

from typing import Literal

PAGE_BYTES = 4096


def memory_high(request: int, limit: int, allocatable: int, *, factor_permille: int, of: Literal["limit", "span"]) -> int | None:
    """From how many bytes on the kernel throttles the container; None where it never does. 0 stands for no request and no limit.

    The factor is applied to the ``limit`` itself, or to the ``span`` between request and limit, in whole pages; without a limit the
    node's allocatable memory counts. Where the bound would not lie above the request there is none.
    """
    most = limit or allocatable
    if of == "limit":
        high = most * factor_permille // 1000
    elif request == limit:  # of a pod that is guaranteed its memory nothing is throttled
        return None
    else:
        high = (request + (most - request) * factor_permille // 1000) // PAGE_BYTES * PAGE_BYTES
    return high if high > request else None
