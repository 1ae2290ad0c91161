"""What both node and pods rely on: a kubelet's ticks, its health, the resources it has admitted, when to check for pressure."""
