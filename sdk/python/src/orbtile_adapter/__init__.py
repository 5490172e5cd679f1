"""Send your own tool's status to Orbtile: a client for its Adapter API, without dependencies.

``Client`` is for programs with threads or with none, ``AsyncClient`` for asyncio; see the README.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orbtile_adapter._client import Client
from orbtile_adapter._errors import (
    AdapterError,
    APIError,
    DiscoveryError,
    LeaseLostError,
    PayloadTooLargeError,
    ProofError,
    TransportError,
)

if TYPE_CHECKING:
    from orbtile_adapter._async import AsyncClient
    from orbtile_adapter._messages import (
        Activity,
        AdapterRegistration,
        ApprovalEvent,
        ApprovalRequest,
        BatchReply,
        Capability,
        Event,
        EventsReply,
        Glyph,
        Icon,
        Info,
        Message,
        Palette,
        Question,
        QuestionEvent,
        QuestionOption,
        QuestionRequest,
        RegistrationReply,
        SessionBatchItem,
        SessionReply,
        SessionUpdate,
        TapEvent,
    )

__version__ = "0.2.0"

__all__ = [
    "APIError",
    "Activity",
    "AdapterError",
    "AdapterRegistration",
    "ApprovalEvent",
    "ApprovalRequest",
    "AsyncClient",
    "BatchReply",
    "Capability",
    "Client",
    "DiscoveryError",
    "Event",
    "EventsReply",
    "Glyph",
    "Icon",
    "Info",
    "LeaseLostError",
    "Message",
    "Palette",
    "PayloadTooLargeError",
    "ProofError",
    "Question",
    "QuestionEvent",
    "QuestionOption",
    "QuestionRequest",
    "RegistrationReply",
    "SessionBatchItem",
    "SessionReply",
    "SessionUpdate",
    "TapEvent",
    "TransportError",
    "__version__",
]


def __getattr__(name: str) -> object:
    """What only some programs need comes when it is asked for: asyncio alone takes longer to import than all
    of this package, and types are for type checkers.
    """
    if name == "AsyncClient":
        from orbtile_adapter._async import AsyncClient

        return AsyncClient
    if name in __all__:
        from orbtile_adapter import _messages

        return getattr(_messages, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
