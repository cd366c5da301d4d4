"""The shell of a parcel: how it begins as a file, and how it is called where it is unpacked."""

from __future__ import annotations

# In order of preference; PYTHON names another.
PYTHONS = ("python3", *(f"python3.{minor}" for minor in range(15, 8, -1)))

FIND = f"""python=
for one in ${{PYTHON:-{" ".join(PYTHONS)}}}; do
    if "$one" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then python=$one; break; fi
done
if [ -z "$python" ]; then
    echo "lab: no Python 3.9 or later is here ($(python3 -V 2>&1)); name one: PYTHON=/usr/bin/python3.11 sh $0" >&2
    exit 5
fi
"""

# The sum is of all that follows its line. The shell reads no further than `exit`; what follows is the program of
# pipeline/parcel/unpacking.py, {program} bytes from {begin} on, and the payload.
HEAD = """#!/bin/sh
sum={sum}
# The Mechanical Sympathy Lab in one file: sh THIS --help
lab() {{
{find}exec "$python" -I -S -c '
import hashlib, sys
name, told, begin, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
try:
    with open(name, "rb") as file:
        digest = hashlib.sha256()
        head = file.readline() + file.readline()
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
        file.seek(begin)
        program = file.read(size)
except OSError as error:
    sys.stderr.write("lab: %s\\n" % error)
    sys.exit(5)
if digest.hexdigest() != told:
    sys.stderr.write("lab: %s is damaged (its sum is another); copy it again\\n" % name)
    sys.exit(4)
exec(compile(program, "parcel", "exec"))
' "$0" "$sum" {begin} {program} "$@"
}}
lab "$@"
exit
"""

COMMANDS = ("measure", "doctor", "fleet")  # of what is unpacked; each is INSIDE
INSIDE = f"""#!/bin/sh
# What an unpacked parcel does: ./measure --help, ./doctor; ./fleet is for a coordinator
{FIND}exec "$python" -E -s -S -B "$(dirname "$0")/parcel.py" "$(basename "$0")" "$@"
"""

MAIN = """import sys

from pipeline.parcel.host import main

sys.exit(main(sys.argv[1:]))
"""
DIGITS = 10  # of the two numbers of HEAD, so that it is as long before they are known


def head(total: str, program: int) -> bytes:
    """The beginning of a file whose program has so many bytes; `total`: its sum, of 64 digits."""

    def made(begin: int) -> bytes:
        numbers = {"begin": f"{begin:0{DIGITS}}", "program": f"{program:0{DIGITS}}"}
        return HEAD.format(sum=total, find=FIND, **numbers).encode()

    return made(len(made(0)))
