// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_findings.h"
#include "core/message/oom_message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// A CUDA context, NCCL and library workspaces take up to about this much of any process.
inline constexpr std::int64_t kUsualOutside = 2LL << 30;

/// A figure that follows from printed ones: it lies from `low` to `high`.
struct PrintedRange {
    std::int64_t low = 0;
    std::int64_t mid = 0;
    std::int64_t high = 0;

    friend PrintedRange operator+(const PrintedRange& a, const PrintedRange& b)
    {
        return {a.low + b.low, a.mid + b.mid, a.high + b.high};
    }
    friend PrintedRange operator-(const PrintedRange& a, const PrintedRange& b)
    {
        return {a.low - b.high, a.mid - b.mid, a.high - b.low};
    }
};

/// When the message is printed every segment that was wholly free has been given back: what is
/// cached lies in segments that are partly in use.
enum class FragmentationProof : std::uint8_t {
    unknown, ///< Figures are missing, or more is reserved than the card has.
    excluded, ///< Cached and free together are less than what was asked for.
    possible, ///< Cached and free together would have been enough.
    proven, ///< What is cached alone would have been enough.
};

/// What the figures of one message prove; each from the printed intervals, so that nothing is
/// claimed that rounding could undo.
struct MessageProof {
    std::optional<PrintedRange> tried;
    std::optional<PrintedRange> total;
    std::optional<PrintedRange> free;
    std::optional<PrintedRange> allocated;
    std::optional<PrintedRange> allowed;
    std::optional<PrintedRange> reserved;
    std::optional<PrintedRange> unallocated; ///< Cached.
    std::optional<PrintedRange>
        outside; ///< Of the card, neither free nor reserved by this allocator.
    std::optional<PrintedRange>
        unnamed; ///< Of the card, neither free nor of any process that is named.
    std::optional<PrintedRange> own; ///< Of this process, all it has in use.
    std::optional<PrintedRange> own_outside; ///< Of this process, outside PyTorch's allocator.
    std::optional<PrintedRange> held; ///< By this process of what it is allowed.
    std::optional<PrintedRange> others; ///< Of processes that are named and are not this one.
    std::size_t other_count = 0;
    bool has_sibling = false; ///< One of them uses as much as this process does.
    bool all_are_siblings = false; ///< Each of them does, and there is one.
    bool own_is_listed = false; ///< This process is among those listed, which no id tells.
    FragmentationProof fragmentation = FragmentationProof::unknown;
    std::optional<PrintedRange>
        short_by; ///< Missing even with every cached byte used; where excluded.
    std::optional<PrintedRange> beyond_free; ///< Of the request, more than the driver had free.
    /// Of the card, neither in use nor free by figures of the card as a whole.
    std::optional<PrintedRange> unaccounted;
    bool larger_than_card = false; ///< The request alone.
    bool above_capacity = false; ///< More allocated or reserved than the card has.
    bool free_was_enough = false; ///< The driver had more free than was asked for.
    bool reaches_limit = false; ///< Reserved and the request exceed what is allowed.
    /// The limit is the one that MPS keeps anyway: 1.7 times what macOS recommends for the GPU,
    /// unless PYTORCH_MPS_HIGH_WATERMARK_RATIO says else (PyTorch's MPSAllocator).
    bool limit_is_usual = false;
    /// Intel's drivers refuse one block of 4 GiB or more unless told otherwise; nothing else
    /// explains the refusal.
    bool may_hit_block_limit = false;
    double cached_share = 0; ///< Of what is reserved.
};
/// What a list of processes is: the message's own names others, nvidia-smi's all on the card.
enum class Listed : std::uint8_t { others, every };
MessageProof prove(const OomMessage& message, Listed listed = Listed::others);

/// The message with what it does not say taken from tables in the same log: the card's size and
/// other processes from nvidia-smi, allocated and reserved from torch.cuda.memory_summary(). Only
/// where they speak of the message's GPU, or of the only one. `added`: which fields, "total", ….
OomMessage completedBy(const OomMessage& message, const std::vector<MemoryReading>& readings,
                       std::vector<std::string>& added);

/// How the size that was asked for comes from factors that the log states.
struct SizeMatch {
    bool is_logits = false; ///< Else attention matrices.
    std::string arithmetic; ///< "24 × 2,048 tokens × 151,669 × 2 B".
    double score = 0.91; ///< Less where the number of tokens is not stated and only looks round.
};
/// Nullopt where no product of stated factors gives the request, rounded as the allocator rounds. A
/// vocabulary that follows from the model's name counts where the rest is a round number of tokens.
std::optional<SizeMatch> matchSize(const OomMessage& message, const StatedFactors& factors);

} // namespace tidemark::diagnose
