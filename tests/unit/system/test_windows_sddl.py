import pytest

from orbtile.system.windows_sddl import file_sddl, folder_sddl

ADA = "S-1-5-21-1004336348-1177238915-682003330-1001"


def test_a_folder_is_for_its_owner_alone_and_so_is_what_is_made_in_it() -> None:
    assert folder_sddl(ADA) == f"O:{ADA}D:P(A;OICI;FA;;;{ADA})"


def test_a_file_is_for_its_owner_alone() -> None:
    assert file_sddl(ADA) == f"O:{ADA}D:P(A;;FA;;;{ADA})"


@pytest.mark.parametrize(
    "sid", ["", "WD", "S-1", "S-1-5", f"{ADA})(A;;FA;;;WD", f"{ADA}\n", f" {ADA}", "S-2-5-18"]
)
def test_what_is_not_a_security_identifier_never_gets_into_a_descriptor(sid: str) -> None:
    with pytest.raises(ValueError):
        folder_sddl(sid)
    with pytest.raises(ValueError):
        file_sddl(sid)
