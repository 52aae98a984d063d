"""Small real programs that fail, or do not fail, in known ways. Run as programs, under the doctor."""
