"""How accurate the engine is: its rules with source and test, and what was measured against real systems."""
