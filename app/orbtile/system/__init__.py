"""The operating system behind the host's ports: paths, private files, locks, peers, processes, clocks,
desktops.

Each module is one concern; where systems differ, a facade chooses its back end once, under ``sys.platform``
checks that type checkers understand. Qt appears only in ``*_qt.py``. Must not import another edge.
"""
