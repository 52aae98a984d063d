"""Logs: bytes in, `LogEvidence` out."""

from xladoctor.evidence.log.read import read_log
from xladoctor.evidence.log.source import UnreadableLog

__all__ = ["UnreadableLog", "read_log"]
