"""Which line is wrong where shapes do not fit: the user's source, followed with sizes, beside what was recorded."""
