"""The subcommands of ``orbtile``. The standard library, ``system`` and the pure packages do for them: a
command must answer before Qt would be loaded.
"""
