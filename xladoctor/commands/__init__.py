"""What each command does: the only code that reads, writes and renders."""
