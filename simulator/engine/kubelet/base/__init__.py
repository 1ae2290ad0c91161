"""What node and pods count with: the beats of a kubelet, its health, the room it has given, when to look for pressure."""
