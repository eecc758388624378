"""Starts the command line: with `python -m text_agent`, and as `text-agent`."""

import sys


def main() -> int:
    """Runs the command line; Ctrl-C ends it in order from the first moment on."""
    try:
        from text_agent.cli.main import main as run

        return run()
    except KeyboardInterrupt:  # it came while the program was imported
        return 130


if __name__ == "__main__":
    sys.exit(main())
