"""Pure decisions shared by several components. Each takes values and returns a verdict; none knows about the world."""
