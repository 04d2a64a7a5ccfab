// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

namespace tidemark::label {

/// What an allocation is for; torch.profiler's words, in stack order from the bottom band to the
/// top.
enum class Bucket : std::uint8_t {
    parameter,
    optimizer_state,
    gradient,
    kv_cache,
    input,
    activation,
    output,
    temporary,
    workspace,
    communication,
    unknown,
};
inline constexpr std::size_t kBucketCount = 11;

/// Bytes per bucket, index = bucket.
using BucketBytes = std::array<std::int64_t, kBucketCount>;
/// Of all buckets.
constexpr std::int64_t totalOf(const BucketBytes& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

/// What follows from the bucket for fixes: they scale roles, not bands.
enum class Role : std::uint8_t {
    none,
    trainable,
    frozen,
    ema,
    second_model,
    unsharded,
    master,
    accumulated,
    reduction_bucket,
    paged,
    logits,
    attention_matrix,
    weight_cast,
    checkpoint_input,
    recomputed,
    activation_gradient,
    optimizer_transient,
};

enum class Phase : std::uint8_t {
    setup,
    input,
    forward,
    backward,
    optimizer,
    evaluation,
    inference,
    other,
};
inline constexpr std::size_t kPhaseCount = 8;

/// Stable ids for files and the command line: "optimizer_state", "forward", "attention_matrix".
std::string_view bucketId(Bucket bucket);
std::string_view roleId(Role role); ///< Empty for `Role::none`.
std::string_view phaseId(Phase phase);
std::optional<Bucket> bucketFromId(std::string_view id);
/// Nullopt for "", which stands for no role.
std::optional<Role> roleFromId(std::string_view id);
std::optional<Phase> phaseFromId(std::string_view id);
/// For people, in the language in use: "Optimizer state", "attention matrix", "Forward".
std::string_view bucketName(Bucket bucket);
std::string_view roleWords(Role role); ///< Empty for `Role::none`.
std::string_view phaseName(Phase phase);
std::string_view phaseNoun(Phase phase); ///< Inside a sentence: "forward".

constexpr std::size_t indexOf(Bucket b)
{
    return static_cast<std::size_t>(b);
}
/// Whether a bucket is in a set of buckets: bit i stands for bucket i.
constexpr bool isIn(std::uint32_t set, Bucket b)
{
    return (set >> indexOf(b) & 1U) != 0;
}
constexpr Bucket bucketAt(std::size_t i)
{
    return static_cast<Bucket>(i);
}

} // namespace tidemark::label
