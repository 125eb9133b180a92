"""Arguments of ``python -m warp``, and which command they name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def parser() -> argparse.ArgumentParser:
    """What ``python -m warp`` understands."""
    whole = argparse.ArgumentParser(
        prog="python -m warp", description="Kernels in Python: what is there, and what is wrong."
    )
    commands = whole.add_subparsers(dest="command", metavar="COMMAND")

    info = commands.add_parser("info", help="version, devices, frameworks, and where kernels are kept")
    info.add_argument("--json", action="store_true", help="as JSON")

    cache = commands.add_parser("cache", help="compiled kernels on disk")
    actions = cache.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("path", help="the folder")
    listed = actions.add_parser("list", help="its entries, the last used first")
    listed.add_argument(
        "-n", type=int, default=20, metavar="COUNT", help="at most so many; 0: all (default: %(default)s)"
    )
    actions.add_parser("size", help="how many entries there are, and what they take")
    limit = actions.add_parser("limit", help="remove what was not used for longest, until at most SIZE is left")
    limit.add_argument("size", metavar="SIZE", help="such as 500MB or 2GB")
    actions.add_parser("clear", help="remove all entries")

    doctor = commands.add_parser("doctor", help="check that kernels compile and run, and that arrays are shared")
    doctor.add_argument("--skip", action="append", default=[], metavar="FRAMEWORK", help="do not import this framework")

    compiled = commands.add_parser("compile", help="import a module and compile its kernels, so that no launch waits")
    compiled.add_argument("modules", nargs="+", metavar="MODULE", help="the name of a module, or a file FILE.py")
    compiled.add_argument("-r", "--recursive", action="store_true", help="import the modules of a package, too")
    compiled.add_argument("-a", "--adjoint", action="store_true", help="compile gradients, too")
    compiled.add_argument("-d", "--device", help="compile for this device (default: the current one)")
    compiled.add_argument("-q", "--quiet", action="store_true", help="print failures only")
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. The status: 0 where all is well, 1 where something is wrong, 2 for wrong arguments."""
    whole = parser()
    options = whole.parse_args(arguments)
    if options.command is None:
        whole.print_help()
        return 0
    try:
        if options.command == "info":
            from warp._cli.info import info

            return info(options.json)
        if options.command == "cache":
            from warp._cli.cache import cache

            return cache(options)
        if options.command == "doctor":
            from warp._cli.doctor import doctor

            return doctor(options.skip)
        from warp._cli.compiling import compile_modules

        return compile_modules(options)
    except (OSError, ValueError, ImportError) as error:
        print(f"{whole.prog} {options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
