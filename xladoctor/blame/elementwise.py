"""The names of functions that keep the shape of what they are given, that reduce it, or that take two arrays."""

KEEP = (
    "relu", "relu6", "sigmoid", "tanh", "softmax", "log_softmax", "elu", "selu", "gelu", "swish", "silu", "softplus",
    "leaky_relu", "cast", "identity", "abs", "square", "sqrt", "exp", "log", "sin", "cos", "negative", "sign", "round",
    "clip_by_value", "clip", "stop_gradient", "dropout", "batch_normalization", "layer_norm", "l2_normalize",
    "to_float",
    "zeros_like", "ones_like", "astype", "copy", "float32", "float64", "int32", "int64", "shuffle", "permutation",
    "normalize", "random_shuffle", "batch_norm", "lrn", "log1p", "nan_to_num", "sort", "cumsum", "fillna", "numpy",
    "fit_transform", "local_response_normalization", "isnan", "logical_not",
    "band_part", "triu", "tril",
    "moving_average", "standardize", "scale", "flip", "reverse", "roll", "fft", "ifft", "fft2d", "ifft2d", "fft2",
    "ifft2", "fft3d", "ifft3d", "fftshift", "ifftshift", "real", "imag", "conj", "angle", "erf", "tan", "floor", "ceil",
    "rsqrt", "reciprocal", "log_sigmoid", "softsign", "hard_sigmoid", "mish", "argsort", "cumprod", "inv", "cholesky",
    "tensor_scatter_nd_update", "tensor_scatter_nd_add", "flip_left_right", "flip_up_down",
    "is_nan", "arctan", "arcsin", "arccos", "atan", "asin", "acos", "sinh", "cosh", "deg2rad", "radians", "degrees",
    "log2", "log10", "expm1", "cbrt", "sinc", "trunc", "rint", "interp", "digitize", "lgamma", "digamma", "erfinv",
    "cumulative_logsumexp", "unwrap", "isfinite", "is_finite", "convert_to_numpy",
)  # fmt: skip
REDUCE = (
    "reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_any", "reduce_all", "mean", "sum",
    "max", "min", "argmax", "argmin", "arg_max", "std", "var", "prod", "amax", "amin", "median", "any", "all", "norm",
    "reduce_logsumexp", "reduce_std", "reduce_variance",
)  # fmt: skip
PAIRS = (
    "add", "subtract", "sub", "multiply", "mul", "divide", "truediv", "maximum", "minimum", "pow", "equal", "less",
    "greater", "not_equal", "squared_difference", "logical_and", "logical_or", "bias_add", "floordiv", "power", "where",
    "complex", "atan2", "arctan2", "mod", "floormod", "logical_xor", "greater_equal", "less_equal", "divide_no_nan",
    "multiply_no_nan", "hypot", "fmod", "remainder", "floor_divide", "fmin", "fmax",
    "logaddexp", "heaviside", "copysign", "xlogy",
)  # fmt: skip
