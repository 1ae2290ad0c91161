"""Structural schemas: what a CustomResourceDefinition requires of the objects of its kind."""
