"""Every kind of figure has the same bytes whatever process draws it."""

import os
import subprocess
import sys
from pathlib import Path

from figures import KINDS, case

from pipeline.ground import paths

CODE = """
import pathlib, sys
sys.path[:0] = sys.argv[1:3]
from figures import KINDS, case
for name in KINDS:
    case(name).save(pathlib.Path(sys.argv[3]))
"""


def test_another_process_writes_the_same_bytes(tmp_path):
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    support = Path(__file__).parents[2] / "support"
    program = [sys.executable, "-c", CODE, str(paths.ROOT), str(support), str(elsewhere)]
    with subprocess.Popen(program, env=os.environ | {"PYTHONHASHSEED": "4711"}) as other:
        for name in KINDS:
            case(name).save(here)
    assert other.returncode == 0
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (here, elsewhere))
    assert len(first) == 4 * len(KINDS) and set(first) == set(second)
    assert [name for name, content in second.items() if content != first[name]] == []
