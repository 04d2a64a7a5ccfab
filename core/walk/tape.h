// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/timeline.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::walk {

enum class Dtype : std::uint8_t { fp32, bf16, int64, boolean };
constexpr std::int64_t widthOf(Dtype type)
{
    constexpr std::int64_t kWidths[] = {4, 2, 8, 1};
    return kWidths[static_cast<std::size_t>(type)];
}
/// What an operation on both gives: torch's type promotion of floating point tensors.
constexpr Dtype promoted(Dtype a, Dtype b)
{
    return a == b ? a : Dtype::fp32;
}

/// Where the run takes place: kernels differ in what they save.
enum class Target : std::uint8_t { cuda, cpu };

/// Which kernel scaled_dot_product_attention takes.
enum class Kernel : std::uint8_t { flash, efficient, math, cpu_flash };

struct Node;
class Tape;

/// A tensor without its numbers: memory, how many elements, and where its gradient goes.
struct Tensor {
    Memory memory;
    /// Of a view, what it looks into; then memory has two owners, and autograd does not add
    /// gradients in place to it.
    Memory base;
    std::int64_t elements = 0;
    Dtype type = Dtype::fp32;
    /// Laid out in the order of its dimensions, so that a reshape needs no copy.
    bool is_contiguous = true;
    std::shared_ptr<Node> node; ///< None: needs no gradient.
    /// Of a parameter, its place in the model; else 0.
    std::uint32_t parameter = 0;

    [[nodiscard]] bool needsGradient() const
    {
        return node != nullptr;
    }
    [[nodiscard]] bool isThere() const
    {
        return memory != nullptr;
    }
};

/// The gradients that one node hands on, one per input; those that need none are not there.
using Gradients = std::vector<Tensor>;

/// One operation in the graph.
struct Node {
    Node() = default;
    /// Without recursion: a graph is as deep as the model.
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    std::uint64_t number = 0; ///< Later ones run first in backward.
    std::uint32_t place = 0; ///< Of the module whose forward made it.
    std::vector<std::shared_ptr<Node>> inputs; ///< None: that input needs no gradient.
    /// From the gradient of the result to those of the inputs. What it has captured is what the
    /// operation saved; it is dropped as soon as it ran.
    std::function<Gradients(Tensor)> run;
    bool accumulates = false; ///< Ends at a parameter.
    // While backward runs:
    int waits_for = 0; ///< Edges over which a gradient is still to come.
    Tensor arrived; ///< The sum of those that came.
};

/// A place for a tensor that an operation saves. Under checkpointing it stays empty until backward
/// asks for it.
struct SavedSlot {
    Memory memory;
    std::shared_ptr<struct Checkpoint> checkpoint; ///< None: filled at once.
};
using Saved = std::shared_ptr<SavedSlot>;

/// A stretch of forward that keeps its input alone and runs again in backward, up to the last
/// tensor that it saves. As torch.utils.checkpoint without reentry. Its input lives as long as one
/// of its slots.
struct Checkpoint {
    std::function<Tensor(Tensor)> forward;
    Tensor input;
    std::vector<std::weak_ptr<SavedSlot>> slots; ///< In the order of saving.
    std::size_t refilled = 0;
    bool is_refilled = false;
    bool autocasts = false; ///< As it was in forward, so it is again.
    std::uint32_t place = 0; ///< Where it was called.
};

/// Walks through a training step as eager PyTorch runs it: forward writes the graph, backward runs
/// it with the engine's rules of who owns what. No number is computed; the recorder sees each
/// request. Sources: torch/csrc/autograd/engine.cpp, input_buffer.cpp,
/// functions/accumulate_grad.h and tools/autograd/derivatives.yaml of torch 2.13.
class Tape {
public:
    Tape(Recorder& recorder, Target target)
        : m_recorder(recorder)
        , m_target(target)
    {
    }

    [[nodiscard]] Recorder& recorder()
    {
        return m_recorder;
    }
    [[nodiscard]] Target target() const
    {
        return m_target;
    }

    /// New memory.
    Tensor empty(std::int64_t elements, Dtype type);
    Tensor emptyLike(const Tensor& other)
    {
        return empty(other.elements, other.type);
    }
    /// Makes the result need a gradient if an input does. O(inputs).
    void connect(Tensor& result, const std::vector<const Tensor*>& inputs,
                 std::function<Gradients(Tensor)> run);
    /// Keeps the memory of a tensor for backward. To be called before the result is requested.
    Saved save(const Tensor& tensor);
    /// What was saved; runs a checkpointed stretch again if need be.
    Memory load(const Saved& saved);

    /// A parameter's node: the gradient that arrives goes to `sink`.
    Tensor leaf(Memory memory, std::int64_t elements, Dtype type, std::uint32_t number,
                std::function<void(Tensor)> sink);

    /// Runs a part of forward that shall be computed again in backward. `forward` must
    /// outlive the backward.
    Tensor checkpoint(std::function<Tensor(Tensor)> forward, const Tensor& input);
    /// From a scalar loss to every parameter, or from what a stage handed on, with the gradient
    /// that came back for it. The graph is gone afterwards.
    void backward(const Tensor& root, Tensor gradient = {});

    bool is_grad_enabled = true;
    bool autocasts = false; ///< To bf16.
    /// Weights could be trained although no gradient is recorded now: autocast keeps their casts
    /// all the same, for it asks the weight alone (cached_cast in autocast_mode.cpp).
    bool keeps_all_casts = false;
    /// Casts of parameters that autocast keeps until its end; by parameter number.
    std::unordered_map<std::uint32_t, Tensor> casts;

private:
    void refill(Checkpoint& checkpoint);
    void accumulate(Tensor& sum, Tensor more);

    Recorder& m_recorder;
    Target m_target;
    std::uint64_t m_next_number = 1;
    std::shared_ptr<Checkpoint> m_recording; ///< Whose slots stay empty now.
    Checkpoint* m_refilling = nullptr; ///< Whose slots are filled now.
};

} // namespace tidemark::walk
