"""A class with levels: pupils who each work on an attempt of their own, and a teacher who watches the wall."""
