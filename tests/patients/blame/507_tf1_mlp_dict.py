from __future__ import print_function
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

# Parameters
learning_rate = 0.001
training_epochs = 2
batch_size = 20
display_step = 1

# Network parameters
n_hidden_1 = 64
n_hidden_2 = 48
n_input = 36
n_classes = 5

X = tf.placeholder("float", [None, n_input])
Y = tf.placeholder("float", [None, n_classes])

weights = {
    'h1': tf.Variable(tf.random_normal([n_input, n_hidden_1])),
    'h2': tf.Variable(tf.random_normal([n_hidden_1, n_hidden_2])),
    'out': tf.Variable(tf.random_normal([n_hidden_1, n_classes]))
}
biases = {
    'b1': tf.Variable(tf.random_normal([n_hidden_1])),
    'b2': tf.Variable(tf.random_normal([n_hidden_2])),
    'out': tf.Variable(tf.random_normal([n_classes]))
}


def multilayer_perceptron(x):
    layer_1 = tf.nn.relu(tf.add(tf.matmul(x, weights['h1']), biases['b1']))
    layer_2 = tf.nn.relu(tf.add(tf.matmul(layer_1, weights['h2']), biases['b2']))
    out_layer = tf.matmul(layer_2, weights['out']) + biases['out']
    return out_layer


logits = multilayer_perceptron(X)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=Y))
train_op = tf.train.AdamOptimizer(learning_rate=learning_rate).minimize(loss_op)
init = tf.global_variables_initializer()

data_x = np.random.rand(100, n_input)
data_y = np.eye(n_classes)[np.random.randint(0, n_classes, 100)]

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(training_epochs):
        avg_cost = 0.
        total_batch = int(len(data_x) / batch_size)
        for i in range(total_batch):
            bx = data_x[i * batch_size:(i + 1) * batch_size]
            by = data_y[i * batch_size:(i + 1) * batch_size]
            _, c = sess.run([train_op, loss_op], feed_dict={X: bx, Y: by})
            avg_cost += c / total_batch
        if epoch % display_step == 0:
            print("Epoch:", '%04d' % (epoch + 1), "cost={:.9f}".format(avg_cost))
