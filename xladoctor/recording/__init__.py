"""Raw material to evidence: logs, run folders, the environment."""
