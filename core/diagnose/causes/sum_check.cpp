// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/doubts.h"
#include "core/diagnose/causes/message_match.h"
#include "core/diagnose/causes/sentences.h"
#include "core/diagnose/message/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

std::int64_t hundredths(std::int64_t bytes, Bytes unit)
{
    return std::llround(static_cast<double>(bytes) * 100 / static_cast<double>(unit.value));
}

/// "0.27"; empty for 0.00.
std::string shownPart(std::int64_t bytes, Bytes unit = kGiB)
{
    const std::int64_t shown = hundredths(bytes, unit);
    return shown <= 0 ? std::string()
                      : withDecimalMark(fmt::format("{}.{:02}", shown / 100, shown % 100));
}

/// What the message adds: the rest of what nvidia-smi shows, split as far as it is named.
std::string withOutside(const std::string& sum, const OomMessage& message, const MessageKeys& keys,
                        const Moment& m)
{
    const MessageProof proof = prove(message);
    // The card's size holds at any moment; what was free, the trace has itself.
    const std::string other_moment = whyOfAnotherMoment(message, keys);
    const bool is_of_another = !other_moment.empty();
    if (is_of_another && !m.device_free) {
        return sum;
    }
    const std::int64_t in_use =
        message.total->value - (is_of_another ? m.device_free : message.free)->value;
    const std::int64_t outside = in_use - m.reserved.value;
    if (outside < 0) {
        return say("{}; only {} of the GPU's {} is used: the rest is not on the GPU", sum,
                   formatGiB({in_use}), formatGiB(*message.total));
    }
    std::string named;
    // What the trace has of the reserved bytes is exact; the message is rounded.
    const std::int64_t own =
        proof.own ? std::max<std::int64_t>(0, proof.own->mid - m.reserved.value) : 0;
    const std::int64_t others = proof.others ? proof.others->mid : 0;
    const std::int64_t excess = own + others - outside;
    if (is_of_another) {
        named = say("unattributed: the message is from another moment: {}", other_moment);
    } else if (excess > kMiB.value * 20) { // above what the printed digits leave open
        named = say("but the processes report {}, {} more", formatGiB({own + others}),
                    formatGiB({excess}));
    } else if (own + others > 0) {
        const std::int64_t of_own = std::min(own, outside);
        const std::int64_t of_others = std::min(others, outside - of_own);
        const std::array amounts{shownPart(of_own), shownPart(of_others),
                                 shownPart(outside - of_own - of_others)};
        const std::array<std::string, 3> words{say("this process {} GiB", amounts[0]),
                                               say("other processes {} GiB", amounts[1]),
                                               say("unattributed {} GiB", amounts[2])};
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (!amounts[i].empty()) {
                named += (named.empty() ? "" : ", ") + words[i];
            }
        }
    }
    const std::string total = formatGiB(*message.total);
    return named.empty()
        ? say("{}; outside PyTorch {} of the GPU's {}; {} used in all, as nvidia-smi shows", sum,
              formatGiB({outside}), total, formatGiB({in_use}))
        : say("{}; outside PyTorch {} ({}) of the GPU's {}; {} used in all, as nvidia-smi shows",
              sum, formatGiB({outside}), named, total, formatGiB({in_use}));
}

/// What the capture module adds: the card as the driver showed it, at the OOM or at the dump.
std::optional<std::string> withCapturedOutside(const std::string& sum, const Facts& facts)
{
    const trace::Capture* const capture =
        facts.snapshot.capture ? &*facts.snapshot.capture : nullptr;
    const trace::CaptureDevice* const device =
        capture == nullptr ? nullptr : capture->device(facts.device.index);
    if (device == nullptr || !device->total) {
        return std::nullopt;
    }
    const Moment& m = facts.moment;
    const bool is_of_oom = m.is_oom && capture->oom && capture->oom->device == facts.device.index
        && capture->oom->free == m.device_free;
    if (!is_of_oom && (!device->free || !device->reserved)) {
        return std::nullopt;
    }
    const Bytes total = is_of_oom ? capture->oom->total : *device->total;
    const Bytes in_use = total - (is_of_oom ? *m.device_free : *device->free);
    const Bytes outside = in_use - (is_of_oom ? m.reserved : *device->reserved);
    if (outside.value < 0) {
        return std::nullopt; // Virtual memory: more is reserved than lies on the card.
    }
    return is_of_oom ? say("{}; outside PyTorch {} of the GPU's {}, unattributed; {} used in all, "
                           "as nvidia-smi shows",
                           sum, formatGiB(outside), formatGiB(total), formatGiB(in_use))
                     : say("{}; outside PyTorch {} of the GPU's {} at the dump, unattributed", sum,
                           formatGiB(outside), formatGiB(total));
}

struct SumPart {
    std::string name;
    std::int64_t bytes = 0;
};

/// With the two decimals that every table shows; what is too small to show is left out.
std::string sumWords(const std::vector<SumPart>& parts, Bytes unit)
{
    std::string words;
    for (const SumPart& part : parts) {
        if (const std::string amount = shownPart(part.bytes, unit); !amount.empty()) {
            words += fmt::format("{}{} {}", words.empty() ? "" : " + ", part.name, amount);
        }
    }
    return words;
}

/// Whether what is shown of the parts adds up to what is shown of their sum.
bool addsUp(const std::vector<SumPart>& parts, Bytes unit)
{
    std::int64_t sum = 0;
    std::int64_t shown = 0;
    for (const SumPart& part : parts) {
        sum += part.bytes;
        shown += hundredths(part.bytes, unit);
    }
    return shown == hundredths(sum, unit);
}

} // namespace

std::string sumCheck(const CauseInput& in)
{
    const Facts& facts = in.facts;
    const Moment& m = facts.moment;
    if (facts.device.isEmpty()) {
        return {};
    }
    std::vector<SumPart> sum;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        sum.push_back({std::string(label::bucketName(label::bucketAt(b))), m.buckets[b]});
    }
    sum.push_back({say("cached"), in.cached()});
    sum.push_back({say("private pools"), facts.replay.privateCachedAt(m.state).value});
    if (contradictsItself(facts)) {
        return say("{}, but {} reserved: the file contradicts itself", sumWords(sum, kGiB),
                   formatGiB(m.reserved));
    }
    const auto sumIn = [&](Bytes unit, const std::string& reserved) {
        const std::string parts = sumWords(sum, unit);
        return parts.empty()    ? say("{} reserved", reserved)
            : addsUp(sum, unit) ? say("{} = {} reserved", parts, reserved)
                                : say("{} ≈ {} reserved", parts, reserved);
    };
    const auto& message = facts.message;
    const std::string beside_card = sumIn(kGiB, formatGiB(m.reserved)); // A card has GiB.
    if (message && message->total && message->free) {
        return withOutside(beside_card, *message, messageKeysOf(facts.analysis, facts.index), m);
    }
    if (const auto captured = withCapturedOutside(beside_card, facts)) {
        return *captured;
    }
    const bool is_small = m.reserved < kGiB && m.reserved >= kMiB;
    return say("{}; memory outside PyTorch is not recorded",
               is_small ? sumIn(kMiB, formatBytes(m.reserved)) : beside_card);
}

} // namespace tidemark::diagnose
