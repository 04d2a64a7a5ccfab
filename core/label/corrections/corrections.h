// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/label/bucket.h"
#include "core/label/labels.h"
#include "core/program/dimension_name.h"
#include "core/trace/input_notes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::label {

/// The rule id of labels changed by a correction that has no id of its own.

/// A frame as words, so that a rule holds for other snapshots of the same program, too.
struct FrameText {
    std::string name;
    /// The whole path, or its last parts: "model.py" stands for "/home/me/model.py".
    std::string filename;
    std::int32_t line = 0; ///< 0: any.
    friend bool operator==(const FrameText&, const FrameText&) = default;
};

/// Which allocations are meant: those for which everything given holds.
struct CorrectionMatch {
    std::optional<std::int32_t> device; ///< CUDA index; −1: host memory.
    std::optional<std::int64_t> alloc_event; ///< −1: made before the trace.
    std::optional<Address> address;
    /// The whole stack, innermost first, frame by frame. Frames of the allocator, the unwinder and
    /// the interpreter are left out on both sides. Empty: any.
    std::vector<FrameText> stack;
    /// Case-sensitive texts inside a frame's function and filename, both in the same frame. Empty:
    /// any.
    std::string function;
    std::string file;
    std::optional<Bytes> bytes; ///< Requested.
    std::optional<Bytes> min_bytes;
    std::optional<Bytes> max_bytes;
    std::optional<Bucket> bucket; ///< Before this rule.
    std::optional<Phase> phase; ///< In which it was made; what was made earlier is in none.
    std::string rule; ///< Id of the rule that gave the label so far. Empty: any.

    [[nodiscard]] bool isEmpty() const
    {
        return *this == CorrectionMatch();
    }
    friend bool operator==(const CorrectionMatch&, const CorrectionMatch&) = default;
};

/// A person's word about labels, or about a dimension of the program. Applied in order, each to
/// what those before it have left, so later ones win.
struct Correction {
    std::string id; ///< Empty: that of `Rule::corrected`.
    CorrectionMatch match; ///< Of a dimension at most the device.
    Bucket bucket = Bucket::unknown;
    /// Unset: an allocation that already is in the bucket keeps its role, any other has none.
    std::optional<Role> role;
    std::string note; ///< Why.
    std::string source{}; ///< The file it was read from, for people; not written.
    /// What the search for the program is told; such a rule relabels nothing and has no bucket.
    std::optional<program::SaidDimension> dimension{};
    friend bool operator==(const Correction&, const Correction&) = default;
};

/// What a correction finds, including what a later one finds again.
struct CorrectionEffect {
    std::int64_t allocations = 0;
    Bytes bytes; ///< Requested, of all of them.
    Bytes peak_bytes; ///< Of those live at their device's peak.
    std::int64_t devices = 0; ///< Of which it says a dimension; nothing else is found then.
    friend bool operator==(const CorrectionEffect&, const CorrectionEffect&) = default;
};

/// The corrections of one analysis as they were applied.
struct Corrections {
    std::vector<Correction> rules;
    std::vector<CorrectionEffect> effects; ///< One per rule.
    trace::InputNotes notes; ///< Saved rules in use, rules that match nothing.
};

struct Corrected {
    Labels labels;
    std::vector<CorrectionEffect> effects; ///< One per rule.
};

/// New labels: those given, with what the rules say about them. What a rule matches gets its bucket
/// and role, confidence 100 and a reason that names the rule; failed requests get bucket and role
/// where neither event nor address is asked for; phases and steps stay. Rules whose device a file
/// lacks match nothing. O(n log n) of rules, frames and allocations, and what the rules find; one
/// without text, stack, size and address goes through all allocations. Errors: cancelled.
Result<Corrected> correct(const trace::Snapshot& snapshot, const replay::Replay& replay,
                          const Labels& labels, std::span<const Correction> rules,
                          const std::stop_token& stop);

/// What one rule would find in labels. As `correct`.
Result<CorrectionEffect> effectOf(const trace::Snapshot& snapshot, const replay::Replay& replay,
                                  const Labels& labels, const Correction& rule,
                                  const std::stop_token& stop);

/// Notes on rules that match nothing; none if there are none.
trace::InputNotes notesOn(std::span<const Correction> rules,
                          std::span<const CorrectionEffect> effects);

/// A match that means this one allocation of this file.
CorrectionMatch matchOfAllocation(const trace::Snapshot& snapshot, const replay::Replay& replay,
                                  std::size_t device, AllocationId allocation);
/// A match for everything made from a stack; nullopt for one that was not recorded.
std::optional<CorrectionMatch> matchOfStack(const trace::Snapshot& snapshot, StackId stack);

/// "the allocation at event 12", "everything from model.py:41 forward", "function has 'cache', at
/// least 1.00 MiB"; for people, without a full stop.
std::string describe(const CorrectionMatch& match);
/// What a rule is about: its match, or "the dimension heads of GPU 0".
std::string describeSubject(const Correction& rule);
/// "kv_cache", "parameter, frozen"; "16" of a dimension.
std::string describeTarget(const Correction& rule);

/// What the rules say of the dimensions of one device (its CUDA index, −1: host memory), in order.
std::vector<program::SaidDimension> saidDimensions(std::span<const Correction> rules,
                                                   std::int32_t device);

} // namespace tidemark::label
