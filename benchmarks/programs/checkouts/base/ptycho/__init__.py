"""Physics-informed reconstruction of scanning diffraction data.

A small network maps stacks of diffraction amplitudes to object patches; the
patches of a group are merged on a canvas, cut out again, illuminated by the
probe and propagated to the detector, where they are compared with the data.
"""

__version__ = "0.4.2"
