"""What surrounds a trial, where nothing is started."""

from __future__ import annotations

import pytest

from pipeline.errors import LabError
from pipeline.measure.trial import check_resources


def test_io_folder_without_space_or_permission_is_named(tmp_path):
    with pytest.raises(LabError, match="MB free.*MB needed") as caught:
        check_resources(tmp_path, 10**18)
    assert caught.value.status == 5
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(LabError, match="LAB_IO_DIR") as caught:
        check_resources(file / "below", 1)
    assert caught.value.status == 5
