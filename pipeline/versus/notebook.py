"""What the notebook of a run of programs imports, under one name."""

from pipeline.session.notebook import Display, Session
from pipeline.versus.page import Page

__all__ = ["Display", "Page", "Session"]
