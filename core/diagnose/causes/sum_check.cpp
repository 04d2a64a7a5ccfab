// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/doubts.h"
#include "core/diagnose/causes/message_match.h"
#include "core/diagnose/causes/sentences.h"
#include "core/message/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

/// What the message adds: the rest of what nvidia-smi shows, split as far as it is named.
std::string withOutside(const std::string& sum, const OneUnit& unit, const OomMessage& message,
                        const MessageKeys& keys, const Moment& m)
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
                   unit.cell({in_use}), unit.cell(*message.total));
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
        named = say("but the processes report {}, {} more", unit.cell({own + others}),
                    unit.cell({excess}));
    } else if (own + others > 0) {
        const std::int64_t of_own = std::min(own, outside);
        const std::int64_t of_others = std::min(others, outside - of_own);
        const std::array parts{of_own, of_others, outside - of_own - of_others};
        const std::array<std::string, 3> words{say("this process {}", unit.cell({parts[0]})),
                                               say("other processes {}", unit.cell({parts[1]})),
                                               say("unattributed {}", unit.cell({parts[2]}))};
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (unit.rounded({parts[i]}) > 0) {
                named += (named.empty() ? "" : ", ") + words[i];
            }
        }
    }
    const std::string total = unit.cell(*message.total);
    return named.empty()
        ? say("{}; outside PyTorch {} of the GPU's {}; {} used in all, as nvidia-smi shows", sum,
              unit.cell({outside}), total, unit.cell({in_use}))
        : say("{}; outside PyTorch {} ({}) of the GPU's {}; {} used in all, as nvidia-smi shows",
              sum, unit.cell({outside}), named, total, unit.cell({in_use}));
}

/// What the capture module adds: the card as the driver showed it, at the OOM or at the dump.
std::optional<std::string> withCapturedOutside(const std::string& sum, const OneUnit& unit,
                                               const Facts& facts)
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
                           sum, unit.cell(outside), unit.cell(total), unit.cell(in_use))
                     : say("{}; outside PyTorch {} of the GPU's {} at the dump, unattributed", sum,
                           unit.cell(outside), unit.cell(total));
}

struct SumPart {
    std::string name;
    std::int64_t bytes = 0;
};

/// What is too small to show is left out.
std::string sumWords(const std::vector<SumPart>& parts, const OneUnit& unit)
{
    std::string words;
    for (const SumPart& part : parts) {
        if (unit.rounded({part.bytes}) > 0) {
            words += fmt::format("{}{} {}", words.empty() ? "" : " + ", part.name,
                                 unit.number({part.bytes}));
        }
    }
    return words;
}

/// Whether what is shown of the parts adds up to what is shown of their sum.
bool addsUp(const std::vector<SumPart>& parts, const OneUnit& unit)
{
    std::int64_t sum = 0;
    std::int64_t shown = 0;
    for (const SumPart& part : parts) {
        sum += part.bytes;
        shown += unit.rounded({part.bytes});
    }
    return shown == unit.rounded({sum});
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
    // One unit for all: that of the card, where it is known.
    const auto& message = facts.message;
    const bool has_card = message && message->total && message->free;
    const OneUnit unit(has_card ? std::max(*message->total, m.reserved) : m.reserved);
    if (contradictsItself(facts)) {
        return say("{}, but {} reserved: the file contradicts itself", sumWords(sum, unit),
                   unit.cell(m.reserved));
    }
    const auto sumIn = [&](const OneUnit& in_unit) {
        const std::string parts = sumWords(sum, in_unit);
        const std::string reserved = in_unit.cell(m.reserved);
        return parts.empty()       ? say("{} reserved", reserved)
            : addsUp(sum, in_unit) ? say("{} = {} reserved", parts, reserved)
                                   : say("{} ≈ {} reserved", parts, reserved);
    };
    if (has_card) {
        return withOutside(sumIn(unit), unit, *message, messageKeysOf(facts.analysis, facts.index),
                           m);
    }
    if (const auto captured = withCapturedOutside(sumIn(OneUnit(kGiB)), OneUnit(kGiB), facts)) {
        return *captured;
    }
    return say("{}; memory outside PyTorch is not recorded", sumIn(unit));
}

} // namespace tidemark::diagnose
