"""Recognisers: from one error record to what its message names. One module for each family, as in `rules`."""
