"""What can be done to objects that make pods, a file each."""
