"""Say what pytest skipped and why, one line for each reason, from the results it has written.

python tests/skipped.py build/test/unit.xml build/test/processes.xml
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def reasons(results: Path) -> list[str]:
    """`skipped: reason [tests]`, the most frequent first."""
    if not results.exists():
        return ["skipped: unknown, for pytest did not come to its end"]
    found = Counter(skip.get("message", "no reason") for skip in ElementTree.parse(results).iter("skipped"))
    return [f"skipped: {why} [{number} test{'s' * (number > 1)}]" for why, number in found.most_common()]


if __name__ == "__main__":
    for results in sys.argv[1:]:
        for line in reasons(Path(results)):
            print(line)
