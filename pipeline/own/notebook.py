"""What the notebook of an imported run imports, under one name."""

from pipeline.foreign.reading import Options
from pipeline.own.importer import take
from pipeline.own.page import Page
from pipeline.session.notebook import Display, Session

__all__ = ["Display", "Options", "Page", "Session", "take"]
