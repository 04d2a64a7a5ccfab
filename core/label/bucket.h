// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::program {
enum class Usage : std::uint8_t;
} // namespace tidemark::program

namespace tidemark::label {

// All that is known of buckets, roles and phases by themselves is one row each of the tables in
// bucket.cpp: what others ask about them is a field. Texts are in English.

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
inline constexpr std::size_t kBucketCount = static_cast<std::size_t>(Bucket::unknown) + 1;

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
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::optimizer_transient) + 1;

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
inline constexpr std::size_t kPhaseCount = static_cast<std::size_t>(Phase::other) + 1;

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

struct BucketInfo {
    static constexpr std::size_t kMostRoles = 8;

    Bucket bucket = Bucket::unknown;
    std::string_view id; ///< "optimizer_state".
    std::string_view name; ///< "Optimizer state".
    std::string_view noun; ///< Inside a sentence: "weights", "optimizer state".
    bool is_plural = true; ///< "gradients take", but "optimizer state takes".
    std::string_view what; ///< What it is for, in one sentence.
    std::string_view colour; ///< "#RRGGBB", in every theme; distinct for common colour-blindness.
    char letter = '?'; ///< Where a terminal has no colours.
    program::Usage kind{}; ///< How its sizes follow batch, sequence and element width.
    /// A tensor that is seen as two buckets is what has the larger figure: an input that is also
    /// kept as output, a gradient that an optimizer reads.
    std::uint8_t firmness = 3;
    bool is_lasting = false; ///< The model keeps it from step to step.
    /// Rules know more of it than lifetimes tell: libraries' own buffers, caches, what is named.
    bool outranks_lifetime = false;
    std::array<Role, kMostRoles> roles{}; ///< That it may have, then `Role::none`.
};
struct RoleInfo {
    Role role = Role::none;
    std::string_view id; ///< "attention_matrix"; all are empty for `Role::none`.
    std::string_view name; ///< Behind a bucket's name or inside a sentence: "attention matrix".
    std::string_view what;
};
struct PhaseInfo {
    Phase phase = Phase::other;
    std::string_view id;
    std::string_view name; ///< "Forward".
    std::string_view noun; ///< Inside a sentence: "forward".
    std::string_view colour;
    std::string_view when; ///< Outside of steps: "in forward".
    std::string_view when_in_step; ///< "in forward of step {}".
};

// In the order of their enumerations.
extern const std::array<BucketInfo, kBucketCount> kBuckets;
extern const std::array<RoleInfo, kRoleCount> kRoles;
extern const std::array<PhaseInfo, kPhaseCount> kPhases;

inline const BucketInfo& infoOf(Bucket bucket)
{
    return kBuckets[indexOf(bucket)];
}
inline const RoleInfo& infoOf(Role role)
{
    return kRoles[static_cast<std::size_t>(role)];
}
inline const PhaseInfo& infoOf(Phase phase)
{
    return kPhases[static_cast<std::size_t>(phase)];
}

/// Stable ids for files and the command line: "optimizer_state", "forward", "attention_matrix".
inline std::string_view bucketId(Bucket bucket)
{
    return infoOf(bucket).id;
}
inline std::string_view roleId(Role role)
{
    return infoOf(role).id;
}
inline std::string_view phaseId(Phase phase)
{
    return infoOf(phase).id;
}
/// All of them, for sentences and lists; without that of `Role::none`.
std::vector<std::string_view> bucketIds();
std::vector<std::string_view> roleIds();
std::vector<std::string_view> phaseIds();
std::optional<Bucket> bucketFromId(std::string_view id);
/// Nullopt for "", which stands for no role.
std::optional<Role> roleFromId(std::string_view id);
std::optional<Phase> phaseFromId(std::string_view id);
/// The roles that a bucket may have, beside none; empty for most.
std::span<const Role> rolesOf(Bucket bucket);

// For people, in the language in use.
std::string_view bucketName(Bucket bucket);
std::string_view bucketNoun(Bucket bucket);
std::string_view roleWords(Role role); ///< Empty for `Role::none`.
std::string_view phaseName(Phase phase);
std::string_view phaseNoun(Phase phase);

} // namespace tidemark::label
