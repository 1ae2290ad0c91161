"""Whether a site gives back the memory that its visitors made it take, once they have left."""
