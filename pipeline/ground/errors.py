"""The one error a user is meant to see."""

BAD_INPUT, INTERRUPTED = 2, 130  # exit statuses


class LabError(Exception):
    """Bad input or a missing resource, told in one line; `status` is the exit status of the command.

    What cannot be printed is escaped: names out of a damaged file neither break the line nor command the terminal.
    """

    def __init__(self, message: str, status: int = BAD_INPUT):
        super().__init__("".join(one if one.isprintable() else ascii(one)[1:-1] for one in message))
        self.status = status


class Unavailable(Exception):
    """This host, or a runtime, lacks what a trial needs: it is `unsupported`. Says what, and what would provide it."""
