"""Whether a site releases the memory that its visitors used, once they have left."""
