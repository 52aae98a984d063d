"""Recognisers: from one error record to what its message names. One module a family, as in `rules`."""
