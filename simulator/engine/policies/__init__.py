"""Pure decisions that more than one component makes. Each takes values and gives a verdict; none knows the world."""
