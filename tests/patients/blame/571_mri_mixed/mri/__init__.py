"""Learned reconstruction of undersampled 1D MR profiles."""
