"""Structural schemas: what a CustomResourceDefinition says of the objects of its kind."""
