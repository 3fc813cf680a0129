"""What commands share: sub-commands from a table, failures, and files that cannot be written."""

import os
import pathlib
import sys

__all__ = []


def _add(parser, table, what):
    """Give `parser` a sub-parser for each row of `table`: name to (help, options, run)."""
    commands = parser.add_subparsers(metavar=what.upper(), required=True, title=f"{what}s")
    for name, (words, options, run) in table.items():
        # no abbreviations: what `lab` does not know goes to JupyterLab as it is
        command = commands.add_parser(
            name, help=words, description=f"{words[0].upper()}{words[1:]}.", allow_abbrev=False
        )
        command.set_defaults(run=run)
        options(command)


def _fail(error, status):
    """Say what went wrong and return the exit status."""
    print(f"gridlab: error: {error}", file=sys.stderr)
    return status


def _check_writable(option, path):
    """Refuse a file that could not be written in the end."""
    folder = pathlib.Path(path).absolute().parent
    if not folder.is_dir():
        raise OSError(f"{option} must be in a folder that is there, got {path}")
    if pathlib.Path(path).is_dir():
        raise OSError(f"{option} must be a file, got the folder {path!r}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(f"{option} must be in a folder where you may write, got {path}")
