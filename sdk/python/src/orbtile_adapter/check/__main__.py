"""``python -m orbtile_adapter.check``."""

import sys

from orbtile_adapter.check.commandline import main

if __name__ == "__main__":
    sys.exit(main())
