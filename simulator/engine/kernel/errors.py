"""What can go wrong inside the engine, as a tree::

    EngineError
    ├── EngineFailed              a step of a run that could not be made, whatever was the matter
    ├── BadManifest(path)         an object that the engine cannot read; path is a field path such as spec.containers[0].image
    ├── UnknownTarget             a command names a thing that never existed
    └── UnknownVersion            no profile for that Kubernetes version

A command that is merely impossible at its moment is not an error: it is refused by a record that says why.
"""


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""


class EngineFailed(EngineError):
    """A run's world could not be begun, or an event or a command of it not be carried out. The cause is what it failed over.

    It is the one error of that kind that a course raises: the engine is at fault, or the run holds what no run can have.
    """


class BadManifest(EngineError):
    """An object the engine cannot read. ``path`` is the field path, ``problem`` one sentence."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class UnknownVersion(EngineError):
    """There is no profile for the Kubernetes version asked for."""
