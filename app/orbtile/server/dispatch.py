"""From a request head to the host's answer: gate, admission, body, parser, service, reply.

Owns which parser and which method of the service a route gets, and that an icon is drawn before the service
hears of the registration that brings it. Must not know sockets, time, or how an icon is drawn. Every
``ApiError`` becomes its response here; anything else is a fault of ours and the connection's to answer.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from orbtile.host.icons import IconImages
from orbtile.host.service import Admission, Service
from orbtile.protocol import wire
from orbtile.protocol.errors import ApiError
from orbtile.protocol.events import parse_events_poll
from orbtile.protocol.gate import Refused, RequestHead, Route, admit
from orbtile.protocol.registration import Icon, Registration, parse_registration
from orbtile.protocol.session import parse_batch, parse_session_update
from orbtile.server.control import CONTROL_PREFIX, ControlRoutes
from orbtile.server.handler import BodyWanted, Handler, Later
from orbtile.server.response import NO_CONTENT, PLAIN_NOT_FOUND, Response, error_response, json_response

_log = logging.getLogger(__name__)

IconRenderer = Callable[[Icon], Awaitable[IconImages | None]]
"""Draws a registration's icon; None: there is nothing to draw. Raises ``ApiError`` 422 on ``icon.png``. May
be cancelled.
"""

_Endpoint = Callable[[Service, Admission, bytes], Response]


class Dispatch:
    """Answers adapters, and the app's own control requests where ``control`` is given. Without
    ``render_icon`` icons are checked, but nobody sees them.
    """

    def __init__(
        self,
        service: Service,
        control: ControlRoutes | None = None,
        *,
        render_icon: IconRenderer | None = None,
    ) -> None:
        self._service = service
        self._control = control
        self._render_icon = render_icon

    def needs_slot(self, head: RequestHead) -> bool:
        return not head.target.startswith(CONTROL_PREFIX)

    def begin(self, head: RequestHead) -> Response | BodyWanted:
        if self._control is not None and head.target.startswith(CONTROL_PREFIX):
            return self._control.begin(head)
        service = self._service
        verdict = admit(head, service.gate_state())
        try:
            if isinstance(verdict, Refused):
                if verdict.adapter_id is not None:
                    service.sign_of_life(verdict.adapter_id, verdict.owner_token)
                raise verdict.error
            admission = service.admit(verdict)
        except ApiError as refusal:
            adapter_id = verdict.adapter_id or "-"
            return _refusal(adapter_id, refusal)
        return BodyWanted(verdict.content_length, partial(self._finish, admission))

    def _finish(self, admission: Admission, body: bytes) -> Response | Later:
        route = admission.head.route
        try:
            if route is Route.REGISTER:
                return self._register(admission, body)
            return _ENDPOINTS[route](self._service, admission, body)
        except ApiError as refusal:
            return _refusal(admission.head.adapter_id or "-", refusal)

    def _register(self, admission: Admission, body: bytes) -> Response | Later:
        registration, warnings = parse_registration(wire.parse_json(body))
        icon, render = registration.icon, self._render_icon
        if icon is None or render is None:
            return self._registered(admission, registration, warnings, None)
        admission = self._service.put_off(admission)

        async def draw_and_register() -> Response:
            try:
                # The service asks again whether the adapter may: meanwhile the API can have been turned off.
                return self._registered(admission, registration, warnings, await render(icon))
            except ApiError as refusal:
                return _refusal(admission.head.adapter_id, refusal)

        return Later(draw_and_register)

    def _registered(
        self,
        admission: Admission,
        registration: Registration,
        warnings: list[str],
        images: IconImages | None,
    ) -> Response:
        reply = self._service.register(admission, registration, warnings, images)
        return json_response(wire.encode_registration_reply(reply), 201 if reply.created else 200)


class WithoutAdapters:
    """The same on a listener that does not serve adapters: all but control requests is a plain 404 (spec
    section 1).
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def needs_slot(self, head: RequestHead) -> bool:
        return self._handler.needs_slot(head)

    def begin(self, head: RequestHead) -> Response | BodyWanted:
        if head.target.startswith(CONTROL_PREFIX):
            return self._handler.begin(head)
        return PLAIN_NOT_FOUND


def _refusal(adapter_id: str, refusal: ApiError) -> Response:
    _log.debug("%s: %d %s", adapter_id, refusal.status, refusal.code)
    return error_response(refusal)


def _info(service: Service, admission: Admission, _body: bytes) -> Response:
    return json_response(wire.encode_info(service.info(admission)))


def _unregister(service: Service, admission: Admission, _body: bytes) -> Response:
    service.unregister(admission)
    return NO_CONTENT


def _update_session(service: Service, admission: Admission, body: bytes) -> Response:
    reply = service.update_session(
        admission, lambda registration: parse_session_update(wire.parse_json(body), registration)
    )
    return json_response(wire.encode_session_reply(reply))


def _end_session(service: Service, admission: Admission, _body: bytes) -> Response:
    service.end_session(admission)
    return NO_CONTENT


def _replace_sessions(service: Service, admission: Admission, body: bytes) -> Response:
    reply = service.replace_sessions(
        admission, lambda registration: parse_batch(wire.parse_json(body), registration)
    )
    return json_response(wire.encode_batch_reply(reply))


def _heartbeat(service: Service, admission: Admission, _body: bytes) -> Response:
    service.heartbeat(admission)
    return NO_CONTENT


def _poll_events(service: Service, admission: Admission, body: bytes) -> Response:
    service.poll_events(admission, parse_events_poll(wire.parse_json(body)))


_ENDPOINTS: Final[dict[Route, _Endpoint]] = {
    Route.INFO: _info,
    Route.UNREGISTER: _unregister,
    Route.UPDATE_SESSION: _update_session,
    Route.END_SESSION: _end_session,
    Route.REPLACE_SESSIONS: _replace_sessions,
    Route.HEARTBEAT: _heartbeat,
    Route.POLL_EVENTS: _poll_events,
}
