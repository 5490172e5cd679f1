"""The subcommands of ``orbtile``. Standard library and ``system`` only: a command must answer before Qt would
be loaded.
"""
