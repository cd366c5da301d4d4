"""The pictures in the README show the run that is archived, not one before it."""

from __future__ import annotations

import pytest
import readme_pictures

from pipeline.bundle.bundle import Bundle
from pipeline.bundle.content_id import content_id
from pipeline.ground import paths


@pytest.mark.parametrize("picture", [readme_pictures.FIRST_PAGE, readme_pictures.EXPLORER], ids=lambda path: path.stem)
def test_a_picture_is_of_the_archived_run(picture):
    again = f"take it again: make figures RUN={readme_pictures.RUN}; python tests/readme_pictures.py"
    assert readme_pictures.shown(picture) == content_id(Bundle.open(readme_pictures.RUN)), again
    assert f"docs/{picture.name}" in (paths.ROOT / "README.md").read_text(encoding="utf-8")
