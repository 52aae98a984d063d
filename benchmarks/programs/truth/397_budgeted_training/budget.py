import keras


class OutOfTime(RuntimeError):
    pass


class EpochBudget(keras.callbacks.Callback):
    """Stops the fit hard, as the queue of the cluster would."""

    def __init__(self, epochs):
        super().__init__()
        self.epochs = epochs

    def on_epoch_end(self, epoch, logs=None):
        if epoch + 1 >= self.epochs:
            raise OutOfTime(f"budget of {self.epochs} epochs is used up")


class Slower(keras.callbacks.Callback):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def on_epoch_begin(self, epoch, logs=None):
        lr = self.model.optimizer.learning_rate
        lr.assign(lr * self.factor)
