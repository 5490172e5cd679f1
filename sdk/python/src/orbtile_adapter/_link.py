"""The link to Orbtile: found, proven, registered (protocol sections 2 and 3).

Owns both tokens, the proof, the renewal of a token and the registration. Must not know sessions or prompts;
it tells ``begin_lease`` when Orbtile knows none of them any more. Used in the order of requests, but for
``send``.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from orbtile_adapter._bodies import NOTHING, code_of, is_refusal, require_size, require_success
from orbtile_adapter._discovery import Discovery
from orbtile_adapter._errors import APIError, ProofError, TransportError
from orbtile_adapter._http import Reply, encode_request, quote

if TYPE_CHECKING:
    from orbtile_adapter._messages import Info, RegistrationReply
    from orbtile_adapter._ports import Io

FAREWELL_S: Final = 1.0
"""How long ``close`` waits at most for its last request."""

_ADAPTER_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{1,512}")


class Link:
    """One adapter's way to Orbtile."""

    def __init__(
        self,
        io: Io,
        adapter_id: str,
        registration: Mapping[str, Any],
        timeout_s: float,
        begin_lease: Callable[[], None],
    ) -> None:
        self._io = io
        self._timeout_s = timeout_s
        self._registration = json.dumps(registration, allow_nan=False)  # later changes are not ours
        self._begin_lease = begin_lease
        self._adapter_token: str | None = None
        self.route = f"/adapters/{quote(adapter_id)}"
        self.asked_capabilities = frozenset(registration.get("capabilities") or ())
        self.discovery: Discovery | None = None
        """Whom we talk to; None until a listener has proven itself, and again after trouble."""
        self.must_register = True
        """We are not registered, or our latest attempt got no answer."""
        self._is_lost = True
        self.is_closing = False
        self.info: Info = {}
        self.registration_reply: RegistrationReply = {}

    @property
    def capabilities(self) -> frozenset[str]:
        """What was asked for, as soon as a host that knows events (1.1) has answered."""
        minor: object = self.info.get("apiMinor")
        return self.asked_capabilities if isinstance(minor, int) and minor >= 1 else frozenset()

    async def register(self) -> RegistrationReply:
        body = self._registration.encode()
        require_size(body)
        is_uncertain = self.must_register
        self.must_register = True  # until the answer is here, also when this is cut short
        answer = await self.call("PUT", self.route, body)
        reply = require_success(answer)
        token = reply.pop("adapterToken", None)
        if token is not None and not (isinstance(token, str) and _ADAPTER_TOKEN.fullmatch(token)):
            raise TransportError("the answer to the registration is not usable")
        # An attempt without an answer may have made a registration that we know nothing of. A token tells it.
        is_other = is_uncertain if token is None else token != self._adapter_token
        is_new = self._is_lost or answer.status == 201 or is_other
        if is_new or token is not None:
            self._adapter_token = token
        self.must_register = self._is_lost = False
        self.registration_reply = cast("RegistrationReply", reply)
        if is_new:
            self._begin_lease()
        return self.registration_reply

    async def verify(self, *, is_second: bool = False) -> None:
        """Read the discovery file and have the listener prove that it knows the token, too (section 2)."""
        self.discovery = None
        discovery = await self._io.read_discovery()
        nonce = os.urandom(16).hex()
        request = self._encode(discovery, "GET", "/info", extra={"X-Orbtile-Nonce": nonce})
        answer = await self._io.exchange(discovery.address, request, self._timeout_s)
        if answer.status == 401 and not is_second:
            return await self.verify(is_second=True)
        info = require_success(answer)
        proof = info.pop("proof", None)
        if not (isinstance(proof, str) and _proves(proof, discovery.token, nonce)):
            raise ProofError("the listener did not prove that it is Orbtile")
        self.info = cast("Info", info)
        self.discovery = discovery
        return None

    async def call(self, method: str, path: str, body: bytes | None = None) -> Reply:
        """Make a request. At 401 the token may be new: the file is read once more."""
        if self.discovery is None:
            await self.verify()
        answer = await self.send(method, path, body, self._timeout_s)
        if answer.status == 401:
            await self.verify(is_second=True)
            answer = await self.send(method, path, body, self._timeout_s)
        self.is_unknown(answer)  # whoever asked: the next request has to know
        return answer

    async def send(self, method: str, path: str, body: bytes | None, timeout_s: float) -> Reply:
        discovery = self.discovery
        if discovery is None:
            raise TransportError("the connection to Orbtile was lost")
        request = self._encode(discovery, method, path, body)
        try:
            return await self._io.exchange(discovery.address, request, timeout_s)
        except TransportError:
            if self.discovery is discovery and not self.is_closing:
                self.discovery = None  # who answers next has to prove itself
            raise

    def _encode(
        self,
        discovery: Discovery,
        method: str,
        path: str,
        body: bytes | None = None,
        extra: Mapping[str, str] = NOTHING,
    ) -> bytes:
        headers = {"Authorization": f"Bearer {discovery.token}", **extra}
        if self._adapter_token is not None and path.startswith(self.route):
            headers["X-Orbtile-Adapter-Token"] = self._adapter_token
        return encode_request(method, discovery.base_path + path, headers, body)

    def is_unknown(self, answer: Reply) -> bool:
        """Whether Orbtile has forgotten us. Remembered until we are registered again."""
        is_unknown = code_of(answer) == "adapter_not_registered"
        if is_unknown:
            self.must_register = self._is_lost = True
            self._adapter_token = None
        return is_unknown

    def is_refused(self, error: APIError) -> bool:
        """Whether it is the request itself that was refused, not the proof or the registration before it."""
        return is_refusal(error) and self.discovery is not None and not self.must_register

    async def farewell(self) -> None:
        """Tell Orbtile that we leave, so that the sessions go now and the id is free. Best effort."""
        discovery, self.discovery = self.discovery, None
        if discovery is None or self.must_register:
            return
        request = self._encode(discovery, "DELETE", self.route)
        timeout_s = min(FAREWELL_S, self._timeout_s)
        with contextlib.suppress(TransportError):
            await self._io.exchange(discovery.address, request, timeout_s, is_farewell=True)


def _proves(proof: str, token: str, nonce: str) -> bool:
    import hmac  # when first needed: OpenSSL takes its time to load

    expected = hmac.new(token.encode(), nonce.encode(), "sha256").hexdigest()
    return hmac.compare_digest(proof.encode("utf-8", "replace"), expected.encode())
