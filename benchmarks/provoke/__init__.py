"""Development tools: the messages of TensorFlow, Keras and NumPy, taken from their sources and provoked by calls."""
