"""Variational eigensolver for a four-qubit Ising ring, complex tensors all the way."""
import numpy as np
import tensorflow as tf

QUBITS = 4
CFG = {"layers": 3, "field": 0.7, "steps": 30, "rate": 0.1}


def pauli(kind, site):
    mats = {"X": np.array([[0, 1], [1, 0]]), "Z": np.diag([1, -1])}
    op = np.eye(1)
    for s in range(QUBITS):
        op = np.kron(op, mats[kind] if s == site else np.eye(2))
    return op


def hamiltonian(field):
    h = np.zeros((2 ** QUBITS, 2 ** QUBITS))
    for s in range(QUBITS):
        h -= pauli("Z", s) @ pauli("Z", (s + 1) % QUBITS) + field * pauli("X", s)
    return h


def rotate(state, theta, site):
    """RY on one qubit of a state kept as a tensor of rank QUBITS."""
    c, s = tf.cos(theta / 2), tf.sin(theta / 2)
    gate = tf.cast(tf.stack([[c, -s], [s, c]]), tf.complex64)
    state = tf.tensordot(gate, state, axes=[[1], [site]])
    order = list(range(1, site + 1)) + [0] + list(range(site + 1, QUBITS))
    return tf.transpose(state, order)


def entangle(state, a, b):
    sign = np.ones([2 if i in (a, b) else 1 for i in range(QUBITS)], "complex64")
    sign[tuple(1 if i in (a, b) else 0 for i in range(QUBITS))] = -1
    return state * sign


@tf.function(jit_compile=True)
def energy(angles, ham):
    state = tf.one_hot(0, 2 ** QUBITS, dtype=tf.complex64)
    state = tf.reshape(state, [2] * QUBITS)
    for layer in range(CFG["layers"]):
        for q in range(QUBITS):
            state = rotate(state, angles[layer, q], q)
        for q in range(QUBITS):
            state = entangle(state, q, (q + 1) % QUBITS)
    psi = tf.reshape(state, [-1, 1])
    value = tf.matmul(psi, tf.matmul(ham, psi), adjoint_a=True)
    return tf.math.real(value[0, 0])


def main():
    ham = hamiltonian(CFG["field"])
    exact = np.linalg.eigvalsh(ham)[0]
    ham_c = tf.constant(ham, tf.complex64)
    angles = tf.Variable(np.random.default_rng(0).normal(size=(CFG["layers"], QUBITS)).astype("float32"))
    opt = tf.keras.optimizers.Adam(CFG["rate"])
    for step in range(CFG["steps"]):
        with tf.GradientTape() as tape:
            e = energy(angles, ham_c)
        opt.apply_gradients([(tape.gradient(e, angles), angles)])
    print("state rank", QUBITS, "hamiltonian", ham_c.shape, ham_c.dtype.name)
    print(f"variational {float(e):.4f}  exact {exact:.4f}")
    print("discarded imaginary part is zero:", bool(np.allclose(ham, ham.T)))
    assert float(e) >= exact - 1e-3


if __name__ == "__main__":
    main()
