"""The one error a user is meant to see."""

INTERRUPTED = 130  # exit status


class LabError(Exception):
    """Bad input or a missing resource, told in one line; `status` is the exit status of the command."""

    def __init__(self, message: str, status: int = 2):
        super().__init__(message)
        self.status = status
