"""The one error a user is meant to see."""

import errno
import os

BAD_INPUT, NO_RESOURCES, INTERRUPTED = 2, 5, 130  # exit statuses
AGAIN = "correct that and repeat the command: what was measured is kept"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # a disk, what of it is one's own, or a file


class LabError(Exception):
    """Bad input or a missing resource, told in one line; `status` is the exit status of the command.

    What cannot be printed is escaped: names out of a damaged file neither break the line nor command the terminal.
    """

    def __init__(self, message: str, status: int = BAD_INPUT):
        super().__init__("".join(one if one.isprintable() else ascii(one)[1:-1] for one in message))
        self.status = status


def of_system(error: OSError) -> str:
    """An error of the system, a full disk say, in one line with what to do."""
    cause = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    return f"{cause}; {AGAIN}"


def of_full_disk(reason: str) -> bool:
    """Whether what a process complained of is that there was no room for a file."""
    return any(os.strerror(number) in reason for number in FULL)


class Unavailable(Exception):
    """This host, or a runtime, lacks what a trial needs: it is `unsupported`. Says what, and what would provide it."""
