"""Speed and memory, measured against floors taken in the same run (``python3 dev.py bench``)."""
