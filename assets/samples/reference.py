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


matmul_relu()
softmax()
layer_norm()
pipeline()
