#!/usr/bin/env python3
"""Inputs and expected results of the sample programs, computed without tpbdbg.

Run it to rebuild the .npy files beside it (needs numpy). Everything is numpy arithmetic on the
mathematical definition, in float64 unless said otherwise; nothing here knows instructions.
"""
import os
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))


def save(name, array):
    np.save(os.path.join(here, name + ".npy"), array)


def bf16(x):
    """float32 rounded to bfloat16 (nearest even), as float32."""
    b = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
    r = (b + 0x7FFF + ((b >> 16) & 1)) >> 16 << 16
    return r.astype(np.uint32).view(np.float32)


def matmul_relu():
    """relu(w.T @ x + bias): K = 256 in two tiles, M = 128, N = 512. Small integers keep every sum
    exact, so the order of summation cannot matter and the result is exact."""
    rng = np.random.default_rng(1)
    w = rng.integers(-4, 5, (256, 128))
    x = rng.integers(-8, 9, (256, 512))
    bias = rng.integers(-64, 65, (128, 1))
    y = np.maximum(w.T @ x + bias, 0)
    for i in range(2):
        save(f"matmul_relu.w{i}", w[128 * i:128 * i + 128].astype(np.float32))
        save(f"matmul_relu.x{i}", x[128 * i:128 * i + 128].astype(np.float32))
    save("matmul_relu.bias", bias.astype(np.float32))
    save("matmul_relu.expected", y.astype(np.float32))


def softmax():
    """Softmax of each of 128 rows of 256."""
    x = np.random.default_rng(2).normal(0, 3, (128, 256)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    save("softmax.x", x)
    save("softmax.expected", (e / e.sum(axis=1, keepdims=True)).astype(np.float32))


def layer_norm():
    """(x - mean) / sqrt(var + 1e-5) * gamma + beta over each of 128 rows of 128."""
    rng = np.random.default_rng(3)
    x = rng.normal(1, 2, (128, 128)).astype(np.float32)
    gamma = rng.normal(1, 0.2, 128).astype(np.float32)
    beta = rng.normal(0, 0.5, 128).astype(np.float32)
    d = x.astype(np.float64)
    mean = d.mean(axis=1, keepdims=True)
    var = ((d - mean) ** 2).mean(axis=1, keepdims=True)
    y = (d - mean) / np.sqrt(var + 1e-5) * gamma + beta
    save("layer_norm.x", x)
    # every partition needs its own copy of gamma and beta
    save("layer_norm.gamma", np.tile(gamma, (128, 1)))
    save("layer_norm.beta", np.tile(beta, (128, 1)))
    save("layer_norm.expected", y.astype(np.float32))


def pipeline():
    """gelu(w.T @ bf16(x / 4)) for four tiles of 64 x 128, K = 64, M = 64. The scaled inputs are
    multiples of 1/16 below 16 and the weights multiples of 1/8 below 1: products and sums are exact
    in float32, so only gelu rounds."""
    import math
    rng = np.random.default_rng(4)
    x = rng.integers(-32, 33, (64, 4 * 128)) / 4.0
    # a picture to look at in the heatmap: a bright diagonal
    for k in range(64):
        x[k, (8 * k) % 512:(8 * k) % 512 + 24] += 8.0
    w = rng.integers(-8, 9, (64, 64)) / 8.0
    z = w.T @ bf16(x / 4.0).astype(np.float64)
    erf = np.vectorize(math.erf)
    y = 0.5 * z * (1 + erf(z / math.sqrt(2)))
    save("pipeline.x", x.astype(np.float32))
    save("pipeline.w", w.astype(np.float32))
    save("pipeline.expected", y.astype(np.float32))


def attention():
    """One attention head: softmax(q.T k / 8) v for 128 queries and keys of 64 numbers. q, k and v are
    bfloat16 numbers; the program rounds its probabilities to bfloat16 too, the reference does not."""
    rng = np.random.default_rng(5)
    q, k, v = (bf16(rng.normal(0, 1.5, s)) for s in ((64, 128), (64, 128), (128, 64)))
    z = q.astype(np.float64).T @ k.astype(np.float64) / 8
    e = np.exp(z - z.max(axis=1, keepdims=True))
    save("attention.q", q)
    save("attention.k", k)
    save("attention.v", v)
    save("attention.eye", np.eye(128, dtype=np.float32))
    save("attention.expected", (e / e.sum(axis=1, keepdims=True) @ v).astype(np.float32))


def rms_norm():
    """x / sqrt(mean(x^2) + 1e-5) * gamma over each of 128 rows of 256."""
    rng = np.random.default_rng(6)
    x = rng.normal(0.5, 3, (128, 256)).astype(np.float32)
    gamma = rng.normal(1, 0.2, 256).astype(np.float32)
    d = x.astype(np.float64)
    y = d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5) * gamma
    save("rms_norm.x", x)
    save("rms_norm.gamma", np.tile(gamma, (128, 1)))
    save("rms_norm.expected", y.astype(np.float32))


def max_pool():
    """Maximum of 3 x 3 windows at every second position of 64 maps of 16 x 16: exact."""
    x = np.random.default_rng(7).normal(0, 1, (64, 16, 16)).astype(np.float32)
    y = np.empty((64, 7, 7), np.float32)
    for r in range(7):
        for c in range(7):
            y[:, r, c] = x[:, 2 * r:2 * r + 3, 2 * c:2 * c + 3].max(axis=(1, 2))
    save("max_pool.x", x)
    save("max_pool.expected", y)


def top8():
    """The 8 largest of each of 128 rows of 512, largest first, and where they stand: exact. Every
    fourth row holds small integers, so that values repeat; equal values stand in order of position."""
    rng = np.random.default_rng(8)
    x = rng.normal(0, 10, (128, 512)).astype(np.float32)
    x[::4] = rng.integers(0, 100, (32, 512))
    where = np.argsort(-x, axis=1, kind="stable")[:, :8]
    save("top8.x", x)
    save("top8.expected", np.take_along_axis(x, where, axis=1))
    save("top8.at.expected", where.astype(np.uint32))


def batch_norm():
    """Mean and population variance of each of 128 rows of 1024."""
    rng = np.random.default_rng(9)
    x = (rng.normal(0, 1, (128, 1024)) * rng.uniform(0.5, 3, (128, 1)) + rng.normal(0, 2, (128, 1)))
    x = x.astype(np.float32)
    d = x.astype(np.float64)
    save("batch_norm.x", x)
    save("batch_norm.expected", np.stack([d.mean(axis=1), d.var(axis=1)], axis=1).astype(np.float32))


def gather():
    """table[row, index] for 64 indices of each of 128 rows, tables of 1024: exact."""
    rng = np.random.default_rng(10)
    table = rng.normal(0, 1, (128, 1024)).astype(np.float32)
    index = rng.integers(0, 1024, (128, 64)).astype(np.uint16)
    save("gather.table", table)
    save("gather.index", index)
    save("gather.expected", np.take_along_axis(table, index.astype(np.int64), axis=1))


def mx_matmul():
    """w.T @ x for K = 256, M = 64, N = 128, where each 32 neighbours in K share a power of two.
    Logical K index = 4 * partition + element of a container, so 8 partitions are one block. Small
    integers and scales of 1/2, 1 and 2 keep every sum exact."""
    rng = np.random.default_rng(11)
    w = rng.integers(-4, 5, (256, 64))
    x = rng.integers(-4, 5, (256, 128))
    ws = rng.integers(-1, 2, (8, 64))
    xs = rng.integers(-1, 2, (8, 128))
    scaled = lambda a, s: np.ldexp(a.astype(np.float64), np.repeat(s, 32, axis=0))
    # container m of partition p holds the elements 4p..4p+3 of column m
    packed = lambda a: a.reshape(64, 4, -1).transpose(0, 2, 1).reshape(64, -1)

    def rows(s):
        """Scale bytes: four blocks in the first partitions of each 32."""
        t = np.zeros((36, s.shape[1]), np.uint8)
        t[0:4], t[32:36] = s[0:4] + 127, s[4:8] + 127
        return t

    save("mx_matmul.w", packed(w).astype(np.float32))
    save("mx_matmul.x", packed(x).astype(np.float32))
    save("mx_matmul.ws", rows(ws))
    save("mx_matmul.xs", rows(xs))
    save("mx_matmul.expected", (scaled(w, ws).T @ scaled(x, xs)).astype(np.float32))


def loop():
    """Running sums of eight tiles of 64 numbers in 128 partitions: integers, exact."""
    x = np.random.default_rng(12).integers(-100, 101, (128, 8, 64))
    save("loop.x", x.astype(np.float32))
    save("loop.expected", np.cumsum(x, axis=1).astype(np.float32))


matmul_relu()
softmax()
layer_norm()
pipeline()
attention()
rms_norm()
max_pool()
top8()
batch_norm()
gather()
mx_matmul()
loop()
