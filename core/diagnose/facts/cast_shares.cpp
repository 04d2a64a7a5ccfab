// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/cast_shares.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Role;

constexpr std::int64_t kSmallestWeight = 256; // bytes of a weight worth looking for
constexpr double kMostWeights = 0.6; // of their bytes have a copy, tables among them
constexpr double kNearlyAll = 0.8; // of the bytes of those that are no tables
constexpr double kFewestTrained = 0.3; // of those bytes; adapters are fewer
constexpr std::size_t kFewestCopied = 2; // that a line copies

struct HalfWeights {
    std::int64_t count = 0;
    std::int64_t tables = 0; ///< Of these, looked up. They have no copy unless the head is one.
    std::int64_t trained = 0; ///< Of these no tables, the most that one pass made gradients of.

    [[nodiscard]] std::int64_t copies(bool may_be_head) const
    {
        return count > tables ? count - tables : may_be_head ? 1 : 0;
    }
};

/// How many gradients of that size the pass made that made most.
std::map<std::int64_t, std::int64_t> gradientsOfAPass(const DeviceRun& run)
{
    std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> made; // by bytes and pass
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        if (run.labels.bucket[i] == Bucket::gradient) {
            ++made[{run.bytes(AllocationId(i)), run.pass_of[i]}];
        }
    }
    std::map<std::int64_t, std::int64_t> most;
    for (const auto& [where, count] : made) {
        most[where.first] = std::max(most[where.first], count);
    }
    return most;
}

/// By half their size.
std::map<std::int64_t, HalfWeights> halves(const DeviceRun& run)
{
    std::map<std::int64_t, HalfWeights> counts;
    for (const AllocationId a : run.weights) {
        const std::int64_t bytes = run.bytes(a);
        if (bytes >= kSmallestWeight && bytes % 2 == 0) {
            HalfWeights& of_size = counts[bytes / 2];
            ++of_size.count;
            of_size.tables += run.madeBy(a) == MadeBy::table ? 1 : 0;
        }
    }
    for (const auto& [bytes, gradients] : gradientsOfAPass(run)) {
        const auto found = counts.find(bytes / 2);
        if (found != counts.end() && bytes % 2 == 0) {
            HalfWeights& of_size = found->second;
            of_size.trained = std::min(gradients, of_size.count - of_size.tables);
        }
    }
    return counts;
}

struct Made {
    std::int64_t count = 0;
    std::int64_t followed_up = 0; ///< Those that may be copies.
};

/// Whether enough was made for copies of most weights, or of most of those that are trained: what
/// is frozen ahead of these has none. All by half the size of a weight.
bool areCopied(const std::map<std::int64_t, HalfWeights>& wanted,
               const std::map<std::int64_t, Made>& made)
{
    struct Sums {
        double copied = 0; // bytes
        double of = 0;
    };
    Sums all;
    Sums trained;
    double tables = 0;
    for (const auto& [bytes, of_size] : wanted) {
        const auto found = made.find(bytes);
        const std::int64_t copies = found == made.end() ? 0 : found->second.followed_up;
        all.copied += static_cast<double>(bytes * std::min(copies, of_size.count));
        all.of += static_cast<double>(bytes * of_size.count);
        trained.copied += static_cast<double>(bytes * std::min(copies, of_size.trained));
        trained.of += static_cast<double>(bytes * of_size.trained);
        tables += static_cast<double>(bytes * of_size.tables);
    }
    const double others = all.of - tables;
    return all.copied >= std::min(kMostWeights * all.of, kNearlyAll * others)
        || (trained.of >= kFewestTrained * others && trained.copied >= kNearlyAll * trained.of);
}

/// Whether the line that made it makes the next one, too: a copy is made for what then reads it.
bool isFollowedUp(const DeviceRun& run, std::size_t allocation)
{
    const auto& stacks = run.allocations().stack;
    return allocation + 1 < stacks.size() && !run.stacks.pythonFrame(stacks[allocation]).isNone()
        && run.stacks.pythonFrame(stacks[allocation])
        == run.stacks.pythonFrame(stacks[allocation + 1]);
}

/// The training pass that saves most allocations.
std::int32_t fullestPass(const DeviceRun& run)
{
    std::vector<std::uint32_t> saved(run.passes.size(), 0);
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        const std::int32_t p = run.pass_of[i];
        if (p >= 0 && run.passes[static_cast<std::size_t>(p)].isTraining()
            && run.labels.bucket[i] == Bucket::activation) {
            ++saved[static_cast<std::size_t>(p)];
        }
    }
    const auto most = std::ranges::max_element(saved);
    return most == saved.end() || *most == 0 ? -1 : static_cast<std::int32_t>(most - saved.begin());
}

} // namespace

std::int64_t CastShares::key(FrameId line, std::int64_t bytes)
{
    return static_cast<std::int64_t>((std::uint64_t{line.value} << 40)
                                     ^ static_cast<std::uint64_t>(bytes));
}

CastShares::CastShares(const DeviceRun& run)
{
    const std::int32_t pass = fullestPass(run);
    if (pass >= 0) {
        findCopies(run, pass);
    }
}

void CastShares::findCopies(const DeviceRun& run, std::int32_t pass)
{
    const auto wanted = halves(run);
    std::map<FrameId, std::map<std::int64_t, Made>> made; // by the line that allocates, per size
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        const AllocationId a(i);
        if (run.pass_of[i] == pass && run.bucket(a) == Bucket::activation
            && run.role(a) == Role::none && wanted.contains(run.bytes(a))
            && !run.stacks.pythonFrame(run.allocations().stack[i]).isNone()) {
            Made& of_size = made[run.stacks.pythonFrame(run.allocations().stack[i])][run.bytes(a)];
            ++of_size.count;
            of_size.followed_up += isFollowedUp(run, i) ? 1 : 0;
        }
    }
    std::erase_if(made, [](const auto& entry) { return entry.second.size() < kFewestCopied; });
    std::map<std::int64_t, Made> all; // of a size, whatever the line
    for (const auto& [line, sizes] : made) {
        for (const auto& [bytes, of_size] : sizes) {
            all[bytes].count += of_size.count;
            all[bytes].followed_up += of_size.followed_up;
        }
    }
    if (!areCopied(wanted, all)) {
        return;
    }
    std::int64_t largest_table = 0;
    for (const auto& [bytes, of_size] : wanted) {
        largest_table = of_size.tables > 0 ? bytes : largest_table;
    }
    for (const auto& [line, sizes] : made) {
        for (const auto& [bytes, of_size] : sizes) {
            const auto copies =
                static_cast<double>(wanted.at(bytes).copies(bytes == largest_table));
            if (copies > 0) {
                m_shares[key(line, bytes)] =
                    std::min(1.0, copies / static_cast<double>(all[bytes].count));
            }
        }
    }
}

double CastShares::share(const DeviceRun& run, StackId stack, std::int64_t bytes) const
{
    if (m_shares.empty() || run.stacks.pythonFrame(stack).isNone()) {
        return 0;
    }
    const auto found = m_shares.find(key(run.stacks.pythonFrame(stack), bytes));
    return found == m_shares.end() ? 0 : found->second;
}

} // namespace tidemark::diagnose
