// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/run_shape.h"
#include "core/walk/tape.h"

#include <cstdint>
#include <vector>

namespace tidemark::walk {

// Operations of eager PyTorch, as memory sees them: what each requests in forward, which tensors it
// saves, what its backward requests and in which order. The order of the gradients is that of the
// generated code: by the names of the inputs in derivatives.yaml (mat2 before self). All results
// have one owner, unless the operation is a view.

/// The same memory seen otherwise: view, transpose, slice. Nothing is requested. `contiguous`: the
/// result is.
Tensor view(Tape& tape, const Tensor& x, std::int64_t elements, bool contiguous);
/// [tokens, heads · width] as [heads, tokens, width]. Its backward copies a gradient that lies in
/// the order of the heads.
Tensor splitHeads(Tape& tape, const Tensor& x);
/// The way back, in forward with a copy where the heads come first in memory.
Tensor mergeHeads(Tape& tape, const Tensor& x);
/// A copy in the order of the dimensions; the tensor itself where it lies so.
Tensor contiguous(Tape& tape, const Tensor& x);
/// One of `count` equal or unequal parts of x along its last dimension; a view whose backward
/// fills a gradient for all of x with zeros (slice_backward).
Tensor slice(Tape& tape, const Tensor& x, std::int64_t elements);
/// All parts at once; the backward joins their gradients (split, chunk).
std::vector<Tensor> split(Tape& tape, const Tensor& x, const std::vector<std::int64_t>& elements);

/// Another element type; the tensor itself where it is that type.
Tensor cast(Tape& tape, const Tensor& x, Dtype type);
Tensor add(Tape& tape, const Tensor& a, const Tensor& b);
/// `b` may have fewer elements, which are repeated.
Tensor multiply(Tape& tape, const Tensor& a, const Tensor& b);
/// By or with a number: nothing is saved.
Tensor scale(Tape& tape, const Tensor& x);
Tensor shift(Tape& tape, const Tensor& x);
Tensor negative(Tape& tape, const Tensor& x);
Tensor power(Tape& tape, const Tensor& x);
/// Mean over rows: one element per row stays.
Tensor meanOfRows(Tape& tape, const Tensor& x, std::int64_t rows);
Tensor reciprocalRoot(Tape& tape, const Tensor& x);
/// Joins parts along one dimension.
Tensor concatenate(Tape& tape, const std::vector<Tensor>& parts);
/// A function whose backward needs its input: silu, gelu.
Tensor activation(Tape& tape, const Tensor& x);
// Functions whose backward needs their result.
Tensor relu(Tape& tape, const Tensor& x);
Tensor tanh(Tape& tape, const Tensor& x);
Tensor sigmoid(Tape& tape, const Tensor& x);
Tensor softmax(Tape& tape, const Tensor& x);
/// With a probability above 0. CPU: the mask has the type of x; CUDA: a byte per element.
Tensor dropout(Tape& tape, const Tensor& x);

/// x as a product reads it: under autocast in bf16.
Tensor operand(Tape& tape, const Tensor& x);
/// Rows of x by a matrix, with a bias where it is there; `out` elements in the result. Under
/// autocast x and the weight are cast first: that of a trained weight once per forward.
Tensor linear(Tape& tape, const Tensor& x, const Tensor& weight, std::int64_t out,
              const Tensor& bias);
/// A matrix that is stored in 8 or 4 bits.
struct QuantizedMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    Quantization format = Quantization::nf4;
};
/// Rows of x by a frozen matrix in few bits, computed in 16: it is made wide for the moment of the
/// product, in backward again (4 bits), or the rows are made narrow (8 bits). Source:
/// autograd/_functions.py of bitsandbytes 0.50 (MatMul4Bit, MatMul8bitLt).
Tensor quantizedLinear(Tape& tape, const Tensor& x, const QuantizedMatrix& matrix,
                       const Tensor& bias);
/// Keys as the second matrix of a product: [heads, width, tokens].
Tensor transposedKeys(Tape& tape, const Tensor& k);
/// Batches of matrices; `out` elements in the result.
Tensor batchedProduct(Tape& tape, const Tensor& a, const Tensor& b, std::int64_t out);
/// Rows of x by the matrix of their expert.
Tensor groupedProduct(Tape& tape, const Tensor& x, const Tensor& weight, std::int64_t out);
/// `weight` and `bias` may be none.
Tensor layerNorm(Tape& tape, const Tensor& x, const Tensor& weight, const Tensor& bias,
                 std::int64_t rows);
Tensor embedding(Tape& tape, const Tensor& weight, const Tensor& ids, std::int64_t width);
/// Rows of x by index; `elements` in the result.
Tensor gather(Tape& tape, const Tensor& x, std::int64_t elements, const Tensor& index);
/// x where a mask of truth values is true, repeated to so many elements: torch.where.
Tensor choose(Tape& tape, const Tensor& mask, const Tensor& x, std::int64_t elements);
/// Repeats x until it has so many elements; backward adds them up.
Tensor repeat(Tape& tape, const Tensor& x, std::int64_t elements);
/// What a sum over many rows, as the gradient of a bias is one, works with on CUDA: each of the
/// blocks that share an output has all its threads' sums in global memory. Over few rows nothing.
/// Source: setReduceConfig and ReduceConfig::global_memory_size in ATen/native/cuda/Reduce.cuh of
/// torch 2.11.
Tensor partialSums(Tape& tape, std::int64_t rows, std::int64_t width);
/// Sum over one dimension.
Tensor sum(Tape& tape, const Tensor& x, std::int64_t elements);

/// A fused kernel of scaled dot product attention; `heads` and `key_heads` as it gets them.
struct FusedAttention {
    std::int64_t heads = 0;
    std::int64_t key_heads = 0;
    std::int64_t head_width = 0;
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t mask = 0; ///< Elements of a mask of truth values, which becomes numbers; 0: none.
    Kernel kernel = Kernel::cpu_flash;
    Tensor bias; ///< Numbers added to the scores; may be none.
    std::int64_t scores = 0; ///< Pairs of all heads, of which a learned bias has gradients.
    /// GPUs that share each sequence: keys and values of all are gathered for the kernel.
    std::int64_t context = 1;
};
Tensor fusedAttention(Tape& tape, const Tensor& q, const Tensor& k, const Tensor& v,
                      const FusedAttention& how);

/// Mean cross entropy of logits: keeps log_softmax, whose gradient and that of the logits
/// live together in backward.
Tensor crossEntropy(Tape& tape, const Tensor& logits, const Tensor& labels);

// What code of one's own is written in. `rows`: one number for each row of x.
/// Under autocast in 32 bits.
Tensor exponential(Tape& tape, const Tensor& x);
Tensor logarithm(Tape& tape, const Tensor& x);
/// The largest of each row; keeps their places.
Tensor largestOfRows(Tape& tape, const Tensor& x, std::int64_t rows);
Tensor sumOfRows(Tape& tape, const Tensor& x, std::int64_t rows);
Tensor subtract(Tape& tape, const Tensor& x, const Tensor& rows);
Tensor divide(Tape& tape, const Tensor& x, const Tensor& rows);
/// exp(x − max) ÷ its sum: keeps the exponentials (`repeats`: those of the sum, too), and the
/// caller the result.
Tensor ownSoftmax(Tape& tape, const Tensor& x, std::int64_t rows, bool repeats);
/// Mean cross entropy by x − max − log(sum(exp(x − max))): keeps the exponentials.
Tensor ownCrossEntropy(Tape& tape, const Tensor& logits, const Tensor& labels);

/// Head and cross entropy in parts of some rows; the gradients of hidden states and head are made
/// in forward and kept instead of the logits. Source: fused_linear_cross_entropy.py of
/// Liger-Kernel.
Tensor fusedHeadLoss(Tape& tape, const Tensor& hidden, const Tensor& weight, std::int64_t width,
                     std::int64_t vocabulary);

} // namespace tidemark::walk
