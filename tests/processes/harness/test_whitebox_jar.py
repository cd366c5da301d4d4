"""The second jar: what only the boot loader may load is in it, and nowhere else."""

from __future__ import annotations

import zipfile

import pytest

from pipeline.ground import paths

DECLARED = {"jdk/test/whitebox/WhiteBox.class", "sun/hotspot/WhiteBox.class"}


@pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")
def test_the_declarations_are_in_the_second_jar_alone():
    harness, whitebox = (
        {name for name in zipfile.ZipFile(jar).namelist() if name.endswith(".class")}
        for jar in (paths.java_harness(), paths.java_harness().with_name("lab-whitebox.jar"))
    )
    assert whitebox == DECLARED
    assert not harness & DECLARED
