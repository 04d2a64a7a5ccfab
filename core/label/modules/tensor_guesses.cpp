// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/tensor_guesses.h"

#include "core/base/language.h"
#include "core/label/modules/model_sizes.h"
#include "core/label/stacks/stack_rules.h"
#include "core/label/stacks/stated_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace tidemark::label {

namespace {

/// The rule of what autocast copied for a layer to read.
constexpr std::string_view kAutocastInput = "autocast-input";

/// What allocations are judged alike.
/// `input_cast`: what autocast copied for a layer to read, in 16 bits.
enum class Use : std::uint8_t { none, parameter, state, cast, pass, input_cast, attention, input };

Use useOf(Bucket bucket, Role role)
{
    switch (bucket) {
    case Bucket::parameter:
        return role == Role::unsharded ? Use::none
            : role == Role::master     ? Use::state
                                       : Use::parameter;
    case Bucket::gradient:
        return role == Role::reduction_bucket || role == Role::unsharded ? Use::none : Use::state;
    case Bucket::optimizer_state:
        return Use::state;
    case Bucket::activation:
        return role == Role::weight_cast     ? Use::cast
            : role == Role::attention_matrix ? Use::attention
                                             : Use::pass;
    case Bucket::temporary:
        return role == Role::optimizer_transient ? Use::none : Use::pass;
    case Bucket::output:
        return Use::pass;
    case Bucket::input:
        return Use::input;
    default:
        return Use::none;
    }
}

std::string widthName(std::int64_t bytes)
{
    return bytes == 4 ? "float32" : bytes == 2 ? say("float16 or bfloat16") : std::string();
}

TensorGuess unknown(std::string reason)
{
    TensorGuess guess;
    guess.reason = std::move(reason);
    return guess;
}

} // namespace

class TensorGuesser {
public:
    TensorGuesser(const trace::Snapshot& snapshot, const trace::Device& device,
                  const replay::DeviceReplay& replay, const DeviceLabels& labels,
                  std::span<const std::uint32_t> things)
        : m_snapshot(snapshot)
        , m_device(device)
        , m_all(replay.allocations)
        , m_replay(replay)
        , m_labels(labels)
        , m_things(things)
    {
    }

    TensorGuesses guess()
    {
        m_result.m_of.assign(m_all.count(), 0);
        countSizes();
        m_sizes = findModelSizes(m_parameters);
        facts().element = m_sizes.element;
        facts().hidden = m_sizes.hidden;
        facts().element_reason = m_sizes.reason;
        collectRows();
        std::map<std::pair<Use, std::int64_t>, std::uint32_t> known;
        for (std::size_t i = 0; i < m_all.count(); ++i) {
            const Use use = useAt(i);
            if (use == Use::none) {
                continue;
            }
            const std::int64_t bytes = m_all.requested[i].value;
            const auto [it, is_new] = known.try_emplace({use, bytes}, 0);
            if (is_new) {
                it->second = add(guessFor(use, bytes));
            }
            m_result.m_of[i] = it->second;
        }
        takeStated();
        takeCaptured();
        return std::move(m_result);
    }

private:
    [[nodiscard]] Use useAt(std::size_t i) const
    {
        const Use use = useOf(m_labels.bucket[i], m_labels.role[i]);
        return use == Use::pass && isInputCopy(i) ? Use::input_cast : use;
    }
    [[nodiscard]] bool isInputCopy(std::size_t i) const
    {
        return !m_labels.reason.empty()
            && m_labels.reasonOf(AllocationId(i)).rule == kAutocastInput;
    }
    std::uint32_t add(TensorGuess guess)
    {
        m_result.m_guesses.push_back(std::move(guess));
        return static_cast<std::uint32_t>(m_result.m_guesses.size());
    }
    TensorFacts& facts()
    {
        return m_result.m_facts;
    }

    void countSizes()
    {
        for (std::size_t i = 0; i < m_all.count(); ++i) {
            const std::int64_t bytes = m_all.requested[i].value;
            const Use use = useAt(i);
            if (use == Use::parameter) {
                ++m_parameters[bytes];
            } else if (use == Use::pass) {
                m_pass.insert(bytes);
            } else if (use == Use::cast || use == Use::input_cast) {
                m_has_casts = true;
            } else if (use == Use::input) {
                m_inputs.insert(bytes);
            }
        }
    }

    /// Whether one line of Python made both, whatever C++ frames lie below it.
    [[nodiscard]] bool isOfOneLine(std::size_t i, std::size_t k) const
    {
        const FrameId line = pythonFrame(m_all.stack[i]);
        return m_all.stack[i] == m_all.stack[k]
            || (!line.isNone() && line == pythonFrame(m_all.stack[k]));
    }
    [[nodiscard]] FrameId pythonFrame(StackId stack) const
    {
        const StackPool& pool = m_snapshot.stacks;
        const auto frames = stack.isNone() ? std::span<const FrameId>{} : pool.frames(stack);
        const auto found = std::ranges::find_if(frames, [&](FrameId f) {
            return isPythonFile(m_snapshot.text(pool.frame(f).filename));
        });
        return found == frames.end() ? FrameId::none() : *found;
    }

    /// Candidates for the rows of activations.
    void collectRows()
    {
        if (facts().element == 0) {
            return;
        }
        m_pass_widths = facts().element == 4 && !m_has_casts ? std::vector<std::int64_t>{4}
                                                             : std::vector<std::int64_t>{4, 2};
        std::map<std::int64_t, std::int64_t> votes; // bytes that speak for so many rows
        for (std::size_t i = 0; i + 2 < m_all.count(); ++i) {
            const std::int64_t out = m_all.requested[i].value;
            const std::int64_t mean = m_all.requested[i + 1].value;
            const bool is_norm = useAt(i) == Use::pass && mean == m_all.requested[i + 2].value
                && mean >= 4 * kFewestElements && mean % 4 == 0 && out > mean
                && isOfOneLine(i, i + 1) && isOfOneLine(i, i + 2);
            for (const std::int64_t width : m_pass_widths) {
                if (is_norm && out == mean / 4 * facts().hidden * width) {
                    votes[mean / 4] += out;
                }
            }
        }
        bool from_norm = !votes.empty();
        for (const std::int64_t ids : m_inputs) {
            const std::int64_t rows = ids / 8;
            for (const std::int64_t width : m_pass_widths) {
                if (ids % 8 == 0 && rows >= kFewestElements
                    && m_pass.contains(rows * facts().hidden * width)) {
                    votes.try_emplace(rows, 0);
                }
            }
        }
        static constexpr std::size_t kMostRows = 16;
        std::vector<std::pair<std::int64_t, std::int64_t>> sorted(votes.begin(), votes.end());
        std::ranges::stable_sort(sorted, std::ranges::greater{},
                                 &std::pair<std::int64_t, std::int64_t>::second);
        sorted.resize(std::min(kMostRows, sorted.size()));
        for (const auto& [rows, bytes] : sorted) {
            m_rows.push_back(rows);
        }
        if (!m_rows.empty()) {
            facts().tokens = m_rows.front();
            facts().tokens_reason = from_norm
                ? say("mean and deviation of a normalisation take 4 bytes per row")
                : say("token ids take 8 bytes each, and activations have rows of the hidden size");
        }
    }

    [[nodiscard]] TensorGuess guessFor(Use use, std::int64_t bytes) const
    {
        if (m_result.m_facts.element == 0) {
            return unknown(say("No sizes of parameters show how wide an element is."));
        }
        switch (use) {
        case Use::parameter:
            return parameter(bytes, m_result.m_facts.element);
        case Use::state:
            return state(bytes);
        case Use::cast:
            return cast(bytes);
        case Use::input:
            return input(bytes);
        case Use::attention:
            return attention(bytes);
        case Use::input_cast:
            return pass(bytes, {2});
        default:
            return pass(bytes, m_pass_widths);
        }
    }

    /// A parameter, or what has the size of one, of elements that take `width` bytes.
    [[nodiscard]] TensorGuess parameter(std::int64_t bytes, std::int64_t width) const
    {
        const TensorFacts& facts = m_result.m_facts;
        TensorGuess guess;
        guess.dtype = widthName(width);
        guess.any_order = true;
        const std::int64_t own = bytes / width * facts.element; // the parameter's own bytes
        const bool is_vector = std::ranges::find(m_sizes.vectors, own) != m_sizes.vectors.end();
        const auto shapes = m_sizes.shapes.find(own);
        const std::size_t fitting = shapes == m_sizes.shapes.end() ? 0 : shapes->second.size();
        if (fitting + (is_vector ? 1U : 0U) > 1) {
            guess.reason = fitting > 1 ? say("Several pairs of dimensions fit this size.")
                                       : say("A vector and a matrix fit this size.");
        } else if (fitting == 1) {
            const auto& [a, b] = *shapes->second.begin();
            guess.shape = {a, b};
            guess.reason = say("The only product of two dimensions of this model that fits: {} "
                               "and {} are lengths of its vectors.",
                               a, b);
        } else if (is_vector) {
            guess.shape = {bytes / width};
            guess.reason = say("A vector: no two dimensions of this model give this size.");
            guess.any_order = false;
        } else if (const std::int64_t row = facts.hidden * facts.element;
                   own % row == 0 && own / row >= kFewestElements) {
            guess.shape = {own / row, facts.hidden};
            guess.reason = say("A multiple of the hidden size {}; no vector has the other length.",
                               facts.hidden);
        } else {
            guess.reason = say("No product of this model's dimensions has this size.");
        }
        return guess;
    }

    /// Gradients, moments, master copies: the shape of a parameter, in its own width or in 4 bytes.
    [[nodiscard]] TensorGuess state(std::int64_t bytes) const
    {
        const std::int64_t width = m_result.m_facts.element;
        const bool same = m_parameters.contains(bytes);
        const bool wide = width == 2 && m_parameters.contains(bytes / 2) && bytes % 4 == 0;
        if (same && wide) {
            return unknown(say("A parameter of this size and one of half of it exist."));
        }
        return same ? parameter(bytes, width)
            : wide  ? parameter(bytes, 4)
                    : unknown(say("No parameter has this size."));
    }

    /// A copy of a weight in 16 bits; autocast makes such copies of activations, too.
    [[nodiscard]] TensorGuess cast(std::int64_t bytes) const
    {
        const bool is_half = m_result.m_facts.element == 4 && m_parameters.contains(bytes * 2);
        return is_half ? parameter(bytes, 2) : pass(bytes, {2});
    }

    [[nodiscard]] TensorGuess input(std::int64_t bytes) const
    {
        if (bytes % 8 == 0 && std::ranges::find(m_rows, bytes / 8) != m_rows.end()) {
            TensorGuess guess;
            guess.shape = {bytes / 8};
            guess.dtype = "int64";
            guess.reason = say("One id of 8 bytes per row of the activations.");
            return guess;
        }
        return unknown(say("Its size does not follow from the rows of the activations."));
    }

    /// All readings as rows × a dimension that `fits`, of elements as wide as one of `widths`; a
    /// guess only where there is one.
    template <class Fits>
    [[nodiscard]] TensorGuess rowsOf(std::int64_t bytes, const std::vector<std::int64_t>& widths,
                                     const Fits& fits, const std::string& reason) const
    {
        std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> readings;
        for (const std::int64_t rows : m_rows) {
            for (const std::int64_t width : widths) {
                const std::int64_t row = rows * width;
                if (bytes % row == 0 && fits(rows, bytes / row)) {
                    readings.insert({rows, bytes / row, width});
                }
            }
        }
        if (readings.size() != 1) {
            return unknown(m_rows.empty() ? say("Nothing tells how many rows the activations have.")
                               : readings.empty() ? say("Not rows of a length that this model has.")
                                                  : say("Several shapes fit this size."));
        }
        const auto& [rows, length, width] = *readings.begin();
        TensorGuess guess;
        guess.shape = {rows, length};
        guess.dtype = widthName(width);
        guess.reason = reason;
        return guess;
    }
    [[nodiscard]] TensorGuess pass(std::int64_t bytes,
                                   const std::vector<std::int64_t>& widths) const
    {
        return rowsOf(
            bytes, widths,
            [this](std::int64_t, std::int64_t length) {
                return m_sizes.dimensions.contains(length);
            },
            say("Rows of the batch, each of a length that this model has; leading dimensions are "
                "one."));
    }
    [[nodiscard]] TensorGuess attention(std::int64_t bytes) const
    {
        return rowsOf(
            bytes, m_pass_widths,
            [](std::int64_t rows, std::int64_t length) { return length <= rows * 1024; },
            say("One row per token; its length is heads × keys."));
    }

    void takeStated()
    {
        forEachAttachedText(m_device, m_replay,
                            [this](AllocationId a, StringId text) { takeText(a, text); });
    }
    /// Named tensors of a capture have a shape ("768x768") beside their type.
    void takeCaptured()
    {
        for (std::size_t i = 0; i < m_things.size(); ++i) {
            if (m_things[i] == 0) {
                continue;
            }
            const auto [it, is_new] =
                m_captured.try_emplace({m_things[i], m_all.requested[i].value}, 0);
            if (is_new) {
                const trace::CaptureThing& thing = m_snapshot.capture->things[m_things[i] - 1];
                std::optional<TensorGuess> said = tensorInText(
                    fmt::format("{} [{}]", thing.dtype, thing.shape), m_all.requested[i].value);
                it->second = said ? add(std::move(*said)) : 0;
            }
            if (it->second != 0) {
                m_result.m_of[i] = it->second;
            }
        }
    }
    void takeText(AllocationId a, StringId text)
    {
        const auto [it, is_new] =
            m_stated.try_emplace({text.value, m_all.requested[a.index()].value}, 0);
        if (is_new) {
            std::optional<TensorGuess> said =
                tensorInText(m_snapshot.text(text), m_all.requested[a.index()].value);
            it->second = said ? add(std::move(*said)) : 0;
        }
        if (it->second != 0) {
            m_result.m_of[a.index()] = it->second;
        }
    }

    const trace::Snapshot& m_snapshot;
    const trace::Device& m_device;
    const replay::Allocations& m_all;
    const replay::DeviceReplay& m_replay;
    const DeviceLabels& m_labels;
    std::span<const std::uint32_t> m_things;
    TensorGuesses m_result;
    SizeCounts m_parameters;
    std::set<std::int64_t> m_pass; ///< Sizes of activations and the like.
    std::set<std::int64_t> m_inputs;
    bool m_has_casts = false;
    ModelSizes m_sizes;
    std::vector<std::int64_t> m_pass_widths;
    std::vector<std::int64_t> m_rows;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> m_stated;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> m_captured;
};

TensorGuesses guessTensors(const trace::Snapshot& snapshot, const trace::Device& device,
                           const replay::DeviceReplay& replay, const DeviceLabels& labels,
                           std::span<const std::uint32_t> things)
{
    return TensorGuesser(snapshot, device, replay, labels, things).guess();
}

} // namespace tidemark::label
