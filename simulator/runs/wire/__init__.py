"""What processes and pages say to each other: the frames of the socket, announcements by group, and the switch that carries them."""
