"""What every notebook imports, under one name: what it computes with, shows, says and keeps."""

from pipeline.session.display import Display
from pipeline.session.findings import Findings
from pipeline.session.pauses import Pauses
from pipeline.session.ratios import prefixed
from pipeline.session.save import keep
from pipeline.session.session import Session
from pipeline.session.under_load import UnderLoad

__all__ = ["Display", "Findings", "Pauses", "Session", "UnderLoad", "keep", "prefixed"]
