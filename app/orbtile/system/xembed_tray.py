"""The conversation with an X server about who is the system tray (freedesktop's System Tray Protocol).

Owns a connection of its own, because Qt's is Qt's: the owner of ``_NET_SYSTEM_TRAY_S<screen>``, the
``MANAGER`` message that a new owner sends to the root window (ICCCM section 2.8), and the end of its window.
Must not know loops or icons. Empty where there is no X11.
"""

import sys

if sys.platform == "linux":
    import contextlib
    from typing import Final

    from Xlib import X, error
    from Xlib.display import Display
    from Xlib.xobject.drawable import Window

    TRAY_CAME: Final = True
    TRAY_WENT: Final = False

    X_ERRORS: Final = (error.DisplayError, error.ConnectionClosedError, error.XError, OSError)
    """What a conversation with a server that is not there, or going away, ends in."""

    class XEmbedTray:
        """A connection to the server that ``DISPLAY`` names. Everything but ``close`` may raise ``X_ERRORS``.

        ``fd`` is readable when ``changes`` has something to read.
        """

        def __init__(self) -> None:
            self._display = Display()
            # A window may end at any moment; the default handler would print that on stderr.
            self._display.set_error_handler(lambda *_: None)
            self._selection = self._display.intern_atom(
                f"_NET_SYSTEM_TRAY_S{self._display.get_default_screen()}"
            )
            self._manager = self._display.intern_atom("MANAGER")
            # Before anybody looks who is there, so that nobody comes between.
            self._display.screen().root.change_attributes(event_mask=X.StructureNotifyMask)
            self._owner = self._watch_owner()

        @property
        def fd(self) -> int:
            return self._display.fileno()

        @property
        def is_present(self) -> bool:
            """Whether there was a tray when last looked at: in ``changes``, or when made."""
            return self._owner != X.NONE

        def changes(self) -> list[bool]:
            """``TRAY_CAME`` and ``TRAY_WENT`` as they happened since the last call; does not wait.

            Also to be called once after making: what arrived with an answer is read already, and the
            descriptor will not tell.
            """
            found: list[bool] = []
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == X.DestroyNotify and self._owner and event.window.id == self._owner:
                    self._owner = X.NONE
                    found.append(TRAY_WENT)
                elif not (event.type == X.ClientMessage and event.client_type == self._manager):
                    continue
                # Also after an end: the next one may own the selection already. Its window can have the same
                # number, which is why the end is taken note of first.
                former, self._owner = self._owner, self._watch_owner()
                if self._owner not in {X.NONE, former}:
                    found.append(TRAY_CAME)
            return found

        def close(self) -> None:
            with contextlib.suppress(*X_ERRORS):
                self._display.close()

        def _watch_owner(self) -> int:
            """The window that owns the selection, its end being watched; ``X.NONE`` where none does."""
            owner = self._owner_now()
            while owner is not None:
                owner.change_attributes(event_mask=X.StructureNotifyMask)
                # It may have ended before it was watched: then it owns nothing any more.
                now = self._owner_now()
                if now == owner:
                    return int(owner.id)
                owner = now
            return X.NONE

        def _owner_now(self) -> Window | None:
            # Xlib's type hints promise a number; it is one where nobody owns the selection.
            owner: object = self._display.get_selection_owner(self._selection)
            return owner if isinstance(owner, Window) else None
