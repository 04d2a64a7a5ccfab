// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/tape.h"

#include <queue>

#include <algorithm>

namespace tidemark::walk {
namespace {

/// Thrown when the last saved tensor of a checkpointed stretch is there again; the rest of the
/// stretch is not computed. As _StopRecomputationError of torch.utils.checkpoint.
struct StopRecomputation { };

/// Notes how many edges lead to each node that is reachable from a root.
void countEdges(Node* root)
{
    std::vector<Node*> todo{root};
    while (!todo.empty()) {
        Node* const node = todo.back();
        todo.pop_back();
        for (const auto& input : node->inputs) {
            if (input && ++input->waits_for == 1) {
                todo.push_back(input.get());
            }
        }
    }
}

struct RunsLater {
    bool operator()(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) const
    {
        return a->number < b->number;
    }
};

} // namespace

Node::~Node()
{
    std::vector<std::shared_ptr<Node>> todo = std::move(inputs);
    while (!todo.empty()) {
        const std::shared_ptr<Node> node = std::move(todo.back());
        todo.pop_back();
        if (node && node.use_count() == 1) {
            std::ranges::move(node->inputs, std::back_inserter(todo));
            node->inputs.clear();
        }
    }
}

Tensor Tape::empty(std::int64_t elements, Dtype type)
{
    Tensor made;
    made.memory = m_recorder.request({elements * widthOf(type)});
    made.elements = elements;
    made.type = type;
    return made;
}

void Tape::connect(Tensor& result, const std::vector<const Tensor*>& inputs,
                   std::function<Gradients(Tensor)> run)
{
    const bool needs = is_grad_enabled
        && std::ranges::any_of(inputs, [](const Tensor* t) { return t->needsGradient(); });
    if (!needs) {
        return;
    }
    auto node = std::make_shared<Node>();
    node->number = m_next_number++;
    node->place = m_recorder.place();
    for (const Tensor* const input : inputs) {
        node->inputs.push_back(input->node);
    }
    node->run = std::move(run);
    result.node = std::move(node);
}

Saved Tape::save(const Tensor& tensor)
{
    auto slot = std::make_shared<SavedSlot>();
    if (m_refilling != nullptr) {
        Checkpoint& checkpoint = *m_refilling;
        const std::size_t place = checkpoint.refilled++;
        if (const Saved kept = checkpoint.slots[place].lock()) {
            kept->memory = tensor.memory;
        }
        if (checkpoint.refilled == checkpoint.slots.size()) {
            throw StopRecomputation();
        }
    } else if (m_recording != nullptr) {
        slot->checkpoint = m_recording;
        m_recording->slots.push_back(slot);
    } else {
        slot->memory = tensor.memory;
    }
    return slot;
}

Memory Tape::load(const Saved& saved)
{
    if (saved->checkpoint != nullptr && !saved->checkpoint->is_refilled) {
        refill(*saved->checkpoint);
    }
    return saved->memory;
}

Tensor Tape::leaf(Memory memory, std::int64_t elements, Dtype type, std::uint32_t number,
                  std::function<void(Tensor)> sink)
{
    Tensor made;
    made.memory = std::move(memory);
    made.elements = elements;
    made.type = type;
    made.parameter = number;
    if (sink) {
        made.node = std::make_shared<Node>();
        made.node->number = ~std::uint64_t{0};
        made.node->accumulates = true;
        made.node->place = m_recorder.place();
        made.node->run = [sink = std::move(sink)](Tensor gradient) {
            sink(std::move(gradient));
            return Gradients{};
        };
    }
    return made;
}

Tensor Tape::checkpoint(std::function<Tensor(Tensor)> forward, const Tensor& input)
{
    if (!is_grad_enabled) {
        return forward(input);
    }
    m_recording = std::make_shared<Checkpoint>();
    m_recording->forward = std::move(forward);
    m_recording->input = input;
    m_recording->autocasts = autocasts;
    m_recording->place = m_recorder.place();
    Tensor result = m_recording->forward(input);
    m_recording = nullptr;
    return result;
}

void Tape::refill(Checkpoint& checkpoint)
{
    checkpoint.is_refilled = true;
    m_recorder.setRecomputing(true);
    m_refilling = &checkpoint;
    const bool is_enabled = std::exchange(is_grad_enabled, true);
    const bool autocasted = std::exchange(autocasts, checkpoint.autocasts);
    const std::uint32_t place = m_recorder.place();
    m_recorder.setPlace(checkpoint.place);
    try {
        checkpoint.forward(checkpoint.input);
    } catch (const StopRecomputation&) {
        // All that backward needs is there.
    }
    is_grad_enabled = is_enabled;
    autocasts = autocasted;
    m_recorder.setPlace(place);
    m_refilling = nullptr;
    casts.clear();
    m_recorder.setRecomputing(false);
}

void Tape::accumulate(Tensor& sum, Tensor more)
{
    const auto has_one_owner = [](const Tensor& t) { return !t.base && t.memory.use_count() == 1; };
    if (!more.isThere()) {
        return; // It waits at the node that joins several.
    }
    if (!sum.isThere()) {
        sum = std::move(more);
    } else if (!has_one_owner(sum)) {
        Tensor made = emptyLike(sum);
        made.is_contiguous = sum.is_contiguous;
        sum = std::move(made);
    }
}

void Tape::backward(const Tensor& root, Tensor gradient)
{
    is_grad_enabled = false;
    countEdges(root.node.get());
    std::priority_queue<std::shared_ptr<Node>, std::vector<std::shared_ptr<Node>>, RunsLater> ready;
    root.node->arrived = gradient.isThere() ? std::move(gradient) : empty(1, Dtype::fp32);
    ready.push(root.node);
    while (!ready.empty()) {
        const std::shared_ptr<Node> node = ready.top();
        ready.pop();
        m_recorder.setPlace(node->place);
        Gradients out = node->run(std::exchange(node->arrived, {}));
        if (!node->accumulates) {
            node->run = nullptr;
        }
        for (std::size_t i = 0; i < node->inputs.size(); ++i) {
            const std::shared_ptr<Node>& input = node->inputs[i];
            if (!input) {
                continue;
            }
            accumulate(input->arrived, std::move(out[i]));
            if (--input->waits_for == 0) {
                ready.push(input);
            }
        }
    }
    is_grad_enabled = true;
    m_recorder.setPlace(0);
}

} // namespace tidemark::walk
