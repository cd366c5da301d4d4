"""Where the harness's functions lie: each begins with a line of 64 bytes, or what a loop costs would depend on what is
linked before it (`release` 1 or 2 cycles). Only the harness's own are asked, by name."""

import re
import subprocess
import sys
from pathlib import Path

LINE = 64
OURS = re.compile(r"^(run|writer|end|array|hop|ring|queue)_\w+$")

binary = Path(sys.argv[1]) / "lab-harness"
told = subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout.splitlines()
symbols = [line.split() for line in told if len(line.split()) == 3]
ours = {name: int(at, 16) for at, kind, name in symbols if kind in "tT" and OURS.match(name)}
assert len(ours) > 20, f"alignment: only {len(ours)} kernels were found in {binary}"
astray = sorted(name for name, at in ours.items() if at % LINE)
assert not astray, f"alignment: these functions do not begin with a line of {LINE} bytes: {', '.join(astray)}"
print(f"alignment_test: {len(ours)} functions begin with a line")
