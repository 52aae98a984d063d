import numpy as np
import tensorflow as tf

PATIENTS = 40


def cohort():
    return tf.random.normal((PATIENTS,), 120.0, 15.0)


@tf.function(jit_compile=True)
def arm(dose, pressure):
    response = -0.08 * dose * (pressure - 100.0) / 20.0
    return pressure + response


def paired_effect(seed, dose):
    tf.random.set_seed(seed)
    control = arm(tf.constant(0.0), cohort())
    tf.random.set_seed(seed)
    treated = arm(tf.constant(dose), cohort())
    return (treated - control).numpy()


class Trial:
    def __init__(self, doses, seed=11):
        self.doses, self.seed = doses, seed

    def run(self):
        table = {}
        for dose in self.doses:
            diff = paired_effect(self.seed, dose)
            table[dose] = (diff.mean(), diff.std() / np.sqrt(PATIENTS))
        return table


for dose, (mean, err) in Trial([5.0, 10.0, 20.0]).run().items():
    print("dose %4.1f mg: effect %.2f +- %.2f mmHg" % (dose, mean, err))
