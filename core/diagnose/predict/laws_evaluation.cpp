// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"
#include "core/base/language.h"
#include "core/diagnose/facts/concatenations.h"
#include "core/diagnose/predict/laws.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// Results kept in evaluation leave the card after every n batches.
class EvaluationAccumulationLaw final : public Law {
public:
    EvaluationAccumulationLaw(const Facts& facts, int batches)
        : m_batches(static_cast<std::uint32_t>(batches))
        , m_name(fmt::format("evaluation {}", batches))
        , m_moved(facts.allocations().count())
    {
        const std::vector<Concatenation> joined = findConcatenations(facts);
        std::ranges::for_each(joined, [&](const auto& one) { shortenLinks(facts, one); });
        moveResults(facts, joined);
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::output, Bucket::temporary, Bucket::activation, Bucket::kv_cache,
                          Bucket::unknown});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const auto found =
            isWithoutGradients(subject.phase) ? m_left.find(subject.bytes) : m_left.end();
        return Amount::exactly(found == m_left.end() ? 1 : found->second);
    }
    [[nodiscard]] std::string_view cutting() const override
    {
        return m_name;
    }
    void cut(const Subject& subject, Life& life) const override
    {
        const StateId end = m_moved[subject.allocation.index()];
        if (end.value == 0) {
            return;
        }
        for (Interval<StateId>& live : life.live) {
            live.end = std::min(live.end, end);
        }
    }
    [[nodiscard]] bool boundsEvaluation() const override
    {
        return m_any;
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {say(
            "Results of at most {} evaluation batches stay on the GPU; the rest need host memory.",
            m_batches)};
    }

private:
    /// Of results that are joined each link holds as many batches as came since the last move. Its
    /// size tells the link, as each has another.
    void shortenLinks(const Facts& facts, const Concatenation& joined)
    {
        std::uint32_t batch =
            joined.parts.empty() ? joined.batchesOfFirst(facts) : joined.batches(facts);
        const auto shorten = [&](std::int64_t bytes) {
            const std::uint32_t held = (batch - 1) % m_batches + 1;
            m_left[bytes] = static_cast<double>(held) / static_cast<double>(batch);
            ++batch;
        };
        for (const AllocationId link : joined.links) {
            shorten(facts.bytes(link));
        }
        if (joined.failed > 0) {
            shorten(joined.failed);
        }
        m_any = true;
    }

    void moveResults(const Facts& facts, const std::vector<Concatenation>& joined)
    {
        std::map<StackId, std::vector<AllocationId>> collected;
        for (const AllocationId a : facts.ids()) {
            const StackId stack = facts.stack(a);
            const bool is_joined =
                std::ranges::find(joined, stack, &Concatenation::stack) != joined.end();
            if (facts.bucket(a) == Bucket::output && isWithoutGradients(facts.phaseOf(a))
                && !is_joined) {
                collected[stack].push_back(a);
            }
        }
        const StateId last = facts.replay.lastState();
        for (const auto& [stack, outputs] : collected) {
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                const AllocationId a = outputs[k];
                // The newest one is still held by the loop's own variable until the next is made.
                const std::size_t flush = (k / m_batches + 1) * m_batches;
                const bool is_newest = k + 1 == flush;
                const std::size_t until = is_newest ? flush : flush - 1;
                const StateId end = until < outputs.size()
                    ? StateId{facts.allocations().begin[outputs[until].index()].value + 1}
                    : StateId{last.value + 1};
                m_moved[a.index()] = std::min(end, facts.end(a));
            }
        }
        m_any = m_any || !collected.empty();
    }

    std::uint32_t m_batches;
    std::string m_name;
    bool m_any = false;
    std::vector<StateId> m_moved; ///< Per allocation: where it leaves the card; 0 for all others.
    std::unordered_map<std::int64_t, double, KeyedNumberHash> m_left; ///< By bytes of a link.
};

} // namespace

std::unique_ptr<Law> evaluationAccumulationLaw(const Facts& facts, int batches)
{
    return std::make_unique<EvaluationAccumulationLaw>(facts, batches);
}

} // namespace tidemark::diagnose
