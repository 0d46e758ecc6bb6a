"""The console script: answers what costs nothing to answer, and hands the rest on."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # type checkers take it for True; importing typing would double the cost of `--version`

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 success, 1 failure, 130 interrupted."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments == ["--version"]:
        from ironhive.version import __version__

        try:
            sys.stdout.write(f"ironhive {__version__}\n")
            sys.stdout.flush()
        except OSError:
            return 1
        return 0
    try:
        from ironhive_cli.process import run  # everything else is imported only now
    except KeyboardInterrupt:
        from ironhive_cli.rendering.failures import report_early_interrupt

        return report_early_interrupt(arguments)
    return run(arguments)
