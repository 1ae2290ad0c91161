"""What can go wrong inside the engine, as a tree::

    EngineError
        ├── EngineFailed              a step of a run could not be carried out, for whatever reason
        ├── BadManifest(path)         an object that the engine cannot read; path is a field path such as spec.containers[0].image
        ├── UnknownTarget             a command names something that never existed
    └── UnknownVersion            no profile for that Kubernetes version

A command that is merely impossible at the moment is not an error: it is refused by a record that says why.
"""


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""


class EngineFailed(EngineError):
    """A run's world could not be created, or one of its events or commands could not be carried out. ``__cause__`` is the original error.

    It is the only error of this kind that a course raises: either the engine has a bug, or the run contains something impossible.
    """


class BadManifest(EngineError):
    """An object the engine cannot read. ``path`` is the field path, ``problem`` one sentence."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class UnknownVersion(EngineError):
    """There is no profile for the Kubernetes version asked for."""
