"""Whatever a user's environment tells the libraries that compute, pages have the committed bytes.

Without fixed loops these settings chose what a CPU with fewer vector units has, and one of the pages changed. With them
no setting arrives, so all compute alike: this is no other CPU. `lab verify` on one is. In `make test` it redraws the
whole run under a third setting (tests/run-all.sh).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.publish import verify

SETTINGS = {
    "AVX-512 as it is, of another family": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "AVX2": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Haswell"},
}
# The page whose fits and ties showed the CPU most before loops were fixed, and a quick one.
PAGES = {"AVX-512 as it is, of another family": "clock", "AVX2": "clock,queues"}


@pytest.mark.prove
@pytest.mark.parametrize("setting", SETTINGS)
def test_pages_have_the_committed_bytes(setting: str, tmp_path: Path):
    lab = str(Path(sys.executable).with_name("lab"))
    program = [lab, "figures", "--run", paths.REFERENCE, "--experiments", PAGES[setting]]
    environment = os.environ | {"LAB_BUILD": str(tmp_path)} | SETTINGS[setting]
    ended = subprocess.run(program, cwd=paths.ROOT, env=environment, capture_output=True, text=True, timeout=1200)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    files = sorted((tmp_path / paths.REFERENCE / "figures").iterdir())
    drawn = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    committed = verify.committed(verify.hashes_file(paths.REFERENCE))
    assert len(drawn) > 10 and [name for name, digest in drawn.items() if committed[name] != digest] == []
