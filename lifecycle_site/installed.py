"""The command ``podscope`` of the installed package (docs/install.md): manage.py, with its data in the user's own folder.

The wheel holds the checkout as one package, so that nothing is looked for in another way than in a checkout. Two things differ: an
installed program has no folder of its own that it may write, and nobody has prepared the site before it is served.
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
    """Where a user's programs keep their data, by the XDG Base Directory Specification (a relative path there is ignored)."""
    base = Path(environ.get("XDG_DATA_HOME", ""))
    return (base if base.is_absolute() else home / ".local" / "share") / "podscope"


if __name__ == "__main__":
    main()
