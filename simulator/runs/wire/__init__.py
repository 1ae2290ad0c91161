"""Messages between processes and pages: the frames of the socket, announcements to groups, and the switch that carries them."""
