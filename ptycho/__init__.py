"""A physics-informed network for scanning coherent diffraction imaging (ptychography).

Importing the package is cheap: TensorFlow is only loaded by the modules that compute with it.

Notation used in all docstrings: B batch of groups, C = gridsize squared (patches in a group), N pattern size,
P padded size (`params.get_padded_size()`), K = any number of single images. Lengths are object pixels.
"""
