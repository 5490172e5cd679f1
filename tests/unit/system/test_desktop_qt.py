import pytest
from PySide6.QtCore import QUrl

from orbtile.system import desktop_qt
from orbtile.system.desktop_qt import QtDesktop


class FakeServices:
    def __init__(self) -> None:
        self.opened: list[str] = []

    def openUrl(self, url: QUrl) -> bool:
        self.opened.append(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        return True


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> FakeServices:
    services = FakeServices()
    monkeypatch.setattr(desktop_qt, "QDesktopServices", services)
    return services


@pytest.mark.parametrize(
    "url", ["https://example.com/run/7?a=b#c", "myagent://run/7", "vscode://file/home/ada/x", "myagent:run"]
)
def test_an_address_is_handed_to_the_desktop_as_it_is(services: FakeServices, url: str) -> None:
    assert QtDesktop().open_url(url)
    assert services.opened == [url]


@pytest.mark.parametrize(
    "url", ["", "run/7", "/etc/passwd", "file:///etc/passwd", "FILE:/x", "http://[x", "//host/x"]
)
def test_what_qt_would_take_for_a_path_or_does_not_understand_is_not_opened(
    services: FakeServices, url: str
) -> None:
    assert not QtDesktop().open_url(url)
    assert services.opened == []


@pytest.mark.parametrize("answer", [True, False])
def test_a_process_is_raised_where_the_system_lets_us(answer: bool) -> None:
    raised: list[int] = []

    def raise_process(pid: int) -> bool:
        raised.append(pid)
        return answer

    assert QtDesktop(raise_process).bring_to_front(4242) is answer
    assert raised == [4242]
