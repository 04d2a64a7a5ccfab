// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/causes.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Role;

std::string allocationsText(std::uint32_t count)
{
    return sayCounted(count, "{} allocation", "{} allocations", formatCount(count));
}

bool failedIs(const CauseInput& in, Role role)
{
    const label::FailedRequest* failed = in.facts.failed;
    return failed != nullptr && failed->role == role;
}

/// Criterion: a share of what is live, once it is large enough to matter. The special kinds
/// (attention matrices, logits) come before the general one where they are most of it, since they
/// have cures of their own.
double shareScore(double share, double from, double to)
{
    static constexpr double kAll = 0.8; // of what is live; more says no more
    return from + (to - from) * std::clamp(share / kAll, 0.0, 1.0);
}

/// A special kind that is more than half of what passes hold comes before the general one.
double specialScore(const CauseInput& in, std::int64_t bytes, double score)
{
    static constexpr double kAboveActivations = 0.85;
    return bytes * 2 > in.measures.pass.bytes ? std::max(score, kAboveActivations) : score;
}

/// Evaluation and inference keep nothing for a backward pass.
bool isWithoutBackward(const Facts& facts)
{
    const std::int32_t pass = passAt(facts.passes, facts.moment.state);
    return pass >= 0 && !facts.passes[static_cast<std::size_t>(pass)].isTraining();
}

void addActivations(const CauseInput& in, double of_live, std::vector<CauseFinding>& out)
{
    if (of_live < 0.25) {
        return;
    }
    CauseWriter writer(out, in, Cause::activations, shareScore(of_live, 0.3, 0.84));
    writer.set("bytes", Bytes{in.measures.pass.live()})
        .set("total", in.facts.moment.active)
        .say(isWithoutBackward(in.facts) ? "without-backward" : "share", in.facts.moment.state);
    if (!in.measures.places.empty()) {
        const PlaceSum& place = in.measures.places.front();
        writer
            .set("place",
                 place.caller.empty() ? place.text()
                                      : say("{} (called at {})", place.text(), place.caller))
            .set("bytes", Bytes{place.sum.bytes})
            .set("count", allocationsText(place.sum.count))
            .say("largest", in.facts.moment.state, place.sum.stack);
    }
    writer.finish();
}

void addAttention(const CauseInput& in, double of_live, std::vector<CauseFinding>& out)
{
    const Sum& attention = in.measures.attention;
    if (of_live < 0.2 || attention.count == 0) {
        return;
    }
    const std::uint32_t layers = in.measures.attention_layers;
    CauseWriter writer(out, in, Cause::activations_sequence,
                       specialScore(in, attention.bytes, shareScore(of_live, 0.4, 0.9)));
    writer.set("bytes", Bytes{attention.live()})
        .set("count", allocationsText(attention.liveCount()))
        .set("layers",
             layers == 0 ? say("the model") : sayCounted(layers, "{} block", "{} blocks", layers));
    if (attention.live() > 0) {
        writer.say("share", in.facts.moment.state, attention.stack);
    }
    if (attention.live() == 0 || failedIs(in, Role::attention_matrix)) {
        writer.say("failed", in.facts.moment.state);
    }
    writer.finish();
}

void addLogits(const CauseInput& in, double of_live, std::vector<CauseFinding>& out)
{
    const Sum& logits = in.measures.logits;
    if (of_live < 0.2 || logits.count == 0) {
        return;
    }
    const double bonus = failedIs(in, Role::logits) ? 0.05 : 0;
    CauseWriter writer(
        out, in, Cause::logits,
        std::min(0.92, specialScore(in, logits.bytes, shareScore(of_live, 0.45, 0.9)) + bonus));
    writer.set("bytes", Bytes{logits.live()})
        .set("count", allocationsText(logits.liveCount()))
        .set("largest", Bytes{logits.largest});
    if (logits.live() > 0) {
        writer.say("share", in.facts.moment.state, logits.stack);
    }
    if (logits.live() == 0 || failedIs(in, Role::logits)) {
        writer.say("failed", in.facts.moment.state);
    }
    writer.finish();
}

} // namespace

void addActivationCauses(const CauseInput& in, std::vector<CauseFinding>& out)
{
    // What is live explains a failure only as far as it fills the room: where much less is live
    // than there was, holes, pools or others hold the rest.
    static constexpr double kFull = 0.7;
    const auto room = static_cast<double>(std::max<std::int64_t>(1, in.room()));
    const auto live = std::max({1.0, static_cast<double>(in.total()), kFull * room});
    addActivations(in, static_cast<double>(in.measures.pass.bytes) / live, out);
    addAttention(in, static_cast<double>(in.measures.attention.bytes) / live, out);
    addLogits(in, static_cast<double>(in.measures.logits.bytes) / live, out);
}

} // namespace tidemark::diagnose
