// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/program/dimension_name.h"
#include "core/program/expression.h"
#include "core/program/program_input.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::program {

struct Alternative {
    std::int64_t value = 0;
    double weight = 0; ///< Of 1 for the value that is stated.
};

/// One dimension that the sizes show. What they do not show is absent.
struct Dimension {
    DimensionName name = DimensionName::batch;
    std::int64_t value = 0;
    double confidence = 0; ///< 0 to 1.
    std::string evidence; ///< One sentence: the sizes that show it.
    std::vector<Alternative> alternatives; ///< Nearly as good, best first.
};

/// The weights of one size; of a model that is sharded and gathered for use whole, with the width
/// they are gathered in.
struct WeightSize {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    std::int64_t buffers = 0; ///< Of these: kept as weights are, and no parameters.
    std::int32_t element_bytes = 0; ///< 0: not known.
    std::vector<std::int64_t> shape; ///< In no known order; empty: not known.
    /// Of the parameters. Not said: no pass backward or optimizer was seen.
    std::optional<bool> trainable;
    /// Copies of all of them that live at once: in the gradients and among the optimizer's state.
    std::int64_t gradients = 0;
    std::int64_t states = 0;
    std::int64_t per_layer =
        0; ///< How many each layer has; 0: they lie outside of all, or none are known.

    [[nodiscard]] std::int64_t parameters() const
    {
        return count - buffers;
    }
};

/// The weights of a device: of one model, or of all of its models together.
struct Weights {
    std::int64_t parameters = 0; ///< Elements, without those of buffers; 0: not known.
    std::int64_t trainable = 0; ///< Elements of those known to be trained.
    /// As the weights alone show them, with or without activations; 0: not those of a transformer.
    std::int64_t layers = 0;
    std::int64_t hidden = 0; ///< The length of a norm's weight, a side of the layers' matrices.
    std::int32_t element_bytes = 0; ///< 0: not known.
    std::vector<WeightSize> sizes; ///< The most bytes first. Empty: none are known.

    /// Null for another size. O(sizes).
    [[nodiscard]] const WeightSize* find(std::int64_t bytes) const
    {
        const auto found = std::ranges::find(sizes, bytes, &WeightSize::bytes);
        return found == sizes.end() ? nullptr : &*found;
    }
};

/// What allocations of one size and use are.
enum class TensorKind : std::uint8_t {
    unknown,
    weight,
    gradient,
    state,
    workspace,
    communication,
    weight_copy, ///< A cast of a weight, or what an optimizer makes per weight.
    hidden_state, ///< tokens · hidden.
    feed_forward, ///< tokens · feed-forward.
    projection, ///< tokens · another width of a weight.
    attention_matrix,
    row_statistics, ///< One or a few numbers per row.
    logits,
    mask,
    positions, ///< What depends on the sequence alone.
    token_ids,
    per_sample, ///< What depends on the batch alone.
};
std::string_view nameOf(TensorKind what);
std::string_view wordsOf(TensorKind what); ///< The same in the language in use.

/// Allocations of one size that are used alike, and how that size comes about.
struct SizeUse {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    double share = 0; ///< Of the bytes × states of all allocations.
    Usage kind = Usage::unknown;
    TensorKind what = TensorKind::unknown;
    /// Best first; none where no product of dimensions explains the size. More than one: sizes and
    /// order do not tell them apart.
    std::vector<Expression> expressions;
    /// How the size follows a change: first as its best expression does, then as its others do, and
    /// as it would under readings of the whole program that are nearly as good. Empty: not known.
    std::vector<Growth> growths;
};

/// What the search looked at, for tests of its complexity.
struct Effort {
    std::int64_t allocations = 0; ///< Allocations read, over all passes.
    std::int64_t readings = 0; ///< Products of dimensions held against sizes.
};

/// What the program was that made the allocations of one device. Immutable.
///
/// Nothing here is a guess where the sizes do not force it: without the structure of a transformer
/// (repeated layers, rows that all activations have in common) `dimensions` holds nothing but what
/// was said by a person, and `unidentified` says why. Where nothing agrees with what was said,
/// `dimensions` is empty and `unidentified` says that.
struct Program {
    std::vector<Dimension> dimensions;
    std::string unidentified; ///< Why there are no dimensions, or which are missing; may be empty.
    Values values; ///< Of the expressions: the best hypothesis, stated or not.
    Weights weights;
    std::vector<SizeUse> sizes; ///< The largest share first.
    std::vector<std::uint32_t> size_of; ///< Per allocation: index into `sizes`.
    std::vector<SizeUse> failed; ///< Of each failed request in the evidence; counts nothing.
    double explained_share = 0; ///< Of bytes × states, with exactly one expression.
    Effort effort;

    /// Null where it is not stated.
    [[nodiscard]] const Dimension* find(DimensionName name) const
    {
        for (const Dimension& d : dimensions) {
            if (d.name == name) {
                return &d;
            }
        }
        return nullptr;
    }
    [[nodiscard]] const SizeUse& sizeOf(AllocationId a) const
    {
        return sizes[size_of[a.index()]];
    }
    /// The one product for a use whose dimensions are all stated; null where there is none or more
    /// than one.
    [[nodiscard]] const Expression* statedExpression(const SizeUse& use) const;
};

} // namespace tidemark::program
