"""A class with levels: pupils who each work in an attempt of their own, and a teacher who looks at the wall."""
