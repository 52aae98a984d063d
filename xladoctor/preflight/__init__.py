"""Before a study: is it a go? Independent checks on what the study will really meet."""
