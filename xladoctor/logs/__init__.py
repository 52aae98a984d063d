"""Logs: bytes in, `LogEvidence` out."""

from xladoctor.logs.read import read_log
from xladoctor.logs.source import UnreadableLog

__all__ = ["UnreadableLog", "read_log"]
