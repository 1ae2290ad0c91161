"""The ``podscope`` command of the installed package (docs/install.md): manage.py, with its data in the user's own folder.

The wheel contains the checkout as one package, so files are found just as in a checkout. Two things differ: an installed program has no
folder of its own that it may write to, and nobody has prepared the site before it is served.
"""

import os
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run the command named on the command line; ``serve`` prepares the site first."""
    sys.path.insert(0, str(HERE))
    os.environ.setdefault("PODSCOPE_DATA_DIR", str(user_data_dir(os.environ, Path.home())))
    if sys.argv[1:] == ["--version"]:
        print(f"Podscope {version('podscope')}")  # noqa: T201
        return
    if sys.argv[1:2] == ["serve"] and "--prepare" not in sys.argv:
        sys.argv.insert(2, "--prepare")
    from manage import main as run

    run()


def user_data_dir(environ: "os._Environ[str] | dict[str, str]", home: Path) -> Path:
    """The user's data folder by the XDG Base Directory Specification (which says to ignore relative paths)."""
    base = Path(environ.get("XDG_DATA_HOME", ""))
    return (base if base.is_absolute() else home / ".local" / "share") / "podscope"


if __name__ == "__main__":
    main()
