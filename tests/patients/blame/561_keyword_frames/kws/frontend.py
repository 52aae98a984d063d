"""Log-mel front end as a tf.data map function."""
import tensorflow as tf


class LogMel:
    def __init__(self, s):
        self.win, self.hop = s.win, s.hop
        self.matrix = tf.signal.linear_to_mel_weight_matrix(
            num_mel_bins=s.n_mels,
            num_spectrogram_bins=s.win // 2 + 1,
            sample_rate=s.sample_rate,
            lower_edge_hertz=60.0,
            upper_edge_hertz=s.sample_rate / 2,
        )

    def __call__(self, wave):
        spec = tf.signal.stft(wave, frame_length=self.win, frame_step=self.hop)
        mel = tf.matmul(tf.square(tf.abs(spec)), self.matrix)
        logmel = tf.math.log(mel + 1e-5)
        mean, var = tf.nn.moments(logmel, axes=[0, 1])
        return (logmel - mean) * tf.math.rsqrt(var + 1e-6)


def dataset(waves, labels, s, training):
    front = LogMel(s)
    ds = tf.data.Dataset.from_tensor_slices((waves, labels))
    ds = ds.map(lambda w, y: (front(w), y), num_parallel_calls=2).cache()
    if training:
        ds = ds.shuffle(len(waves), seed=s.seed)
    return ds.batch(s.batch_size).prefetch(1)
