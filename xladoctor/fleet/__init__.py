"""Thousands of runs, day after day: what was read is remembered, and the table says who and where besides what."""
