"""memory.min and memory.high of a container: what MemoryQoS derives from its request and limit.

Source: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go generateLinuxContainerResources; KEP-2570.
"""

from typing import Literal

PAGE_BYTES = 4096


def memory_high(request: int, limit: int, allocatable: int, *, factor_permille: int, of: Literal["limit", "span"]) -> int | None:
    """The number of bytes from which the kernel throttles the container; None if it never does. 0 stands for no request or no limit.

    The factor is applied to the ``limit`` itself, or to the ``span`` between request and limit, in whole pages; without a limit the
    node's allocatable memory counts. There is no bound if it would not exceed the request.
    """
    most = limit or allocatable
    if of == "limit":
        high = most * factor_permille // 1000
    elif request == limit:  # nothing is throttled for a pod whose memory is guaranteed
        return None
    else:
        high = (request + (most - request) * factor_permille // 1000) // PAGE_BYTES * PAGE_BYTES
    return high if high > request else None
