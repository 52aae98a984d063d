"""Raw material to evidence: logs, run folders, the environment."""

LAST = "last"
"""What a person may name in the place of the newest run folder."""
