"""Starts the command line with `python -m text_agent`."""

import sys

from text_agent.cli import main

if __name__ == "__main__":
    sys.exit(main())
