// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/sentences.h"

#include "core/base/format.h"
#include "core/diagnose/causes/message_match.h"
#include "core/diagnose/message/proof.h"
#include "core/label/step_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

std::string phaseWords(const Facts& facts)
{
    const std::uint32_t step = facts.stepAtMoment();
    const std::int64_t number =
        label::StepNumbers(facts.snapshot, facts.device, facts.labels).of(step);
    const std::string of_step = step == 0 ? std::string() : fmt::format(" of step {}", number);
    switch (facts.phaseAtMoment()) {
    case Phase::setup:
        return "while the model was made";
    case Phase::input:
        return "while a batch was loaded" + of_step;
    case Phase::forward:
        return "in forward" + of_step;
    case Phase::backward:
        return "in backward" + of_step;
    case Phase::optimizer:
        return "in the optimizer" + of_step;
    case Phase::evaluation:
        return "in evaluation";
    case Phase::inference:
        return "in inference";
    case Phase::other:
        break;
    }
    return step == 0 ? "outside of any step" : fmt::format("after step {}", number);
}

/// What was asked, what was there, and whether the allocator could have helped.
std::string requestSentence(const CauseInput& in)
{
    const Moment& m = in.facts.moment;
    const std::int64_t cached = in.cached();
    const std::string figures =
        fmt::format("It asked for {} with {} free and {} cached", sizeText(m.requested),
                    sizeText(m.device_free), sizeText({cached}));
    const std::int64_t together = m.device_free.value + cached;
    if (m.device_free >= m.tried) {
        return figures + ", so memory alone does not explain it.";
    }
    if (cached >= m.requested.value && m.largest_hole < m.requested) {
        return fmt::format("{}, but the largest hole was {}.", figures, sizeText(m.largest_hole));
    }
    if (together >= m.tried.value) {
        return figures + ": enough together, but not in one piece.";
    }
    return figures + ", so no allocator setting could have helped.";
}

std::string attentionSentence(const CauseInput& in, const PlaceSum* place)
{
    const Measures& m = in.measures;
    const std::string where =
        place == nullptr ? std::string() : fmt::format(" ({})", place->text());
    const std::string layers =
        m.attention_layers > 1 ? fmt::format(" of {} blocks", m.attention_layers) : std::string();
    return fmt::format("The attention matrices{}{} hold {}.", layers, where,
                       sizeText({m.attention.bytes}));
}

/// The piece of the user's program that holds most.
std::string placeSentence(const CauseInput& in)
{
    const Measures& m = in.measures;
    const PlaceSum* largest = m.places.empty() ? nullptr : &m.places.front();
    if (largest != nullptr && m.attention.bytes * 3 > in.total()) {
        const auto matrix = std::ranges::find_if(
            m.places, [&](const PlaceSum& p) { return p.sum.stack == m.attention.stack; });
        return attentionSentence(in, matrix == m.places.end() ? nullptr : &*matrix);
    }
    if (largest == nullptr || largest->sum.bytes * 10 < in.total()) {
        return {};
    }
    return fmt::format("{} holds {} in {} {}.", largest->text(), sizeText({largest->sum.bytes}),
                       formatCount(largest->sum.count),
                       largest->sum.count == 1 ? "allocation" : "allocations");
}

/// "10.63 GiB (11.15 GiB with what the allocator keeps beside it)".
std::string needText(Bytes requested, Bytes reserved)
{
    std::string text = sizeText(requested);
    if (reserved > requested) {
        text += fmt::format(" ({} with what the allocator keeps beside it)", sizeText(reserved));
    }
    return text;
}

std::string needSentence(const CauseInput& in)
{
    const Need& need = in.basis.before;
    const auto mid = Bytes{std::llround(need.requested.mid)};
    if (!in.basis.capacity.bytes) {
        return {};
    }
    const Bytes capacity = *in.basis.capacity.bytes;
    const std::string needed = needText(mid, Bytes{std::llround(need.reserved.mid)});
    if (in.basis.growth.kind != GrowthKind::none && need.is_open) {
        return {}; // the cause says it
    }
    if (need.is_open) {
        return need.notes.empty() ? std::string() : need.notes.back();
    }
    if (need.known_to_follow * 50 > mid.value) {
        return fmt::format("With what was still to come the run needs {}; {} were there.", needed,
                           sizeText(capacity));
    }
    if (mid > capacity) {
        return fmt::format("The run needs {}; {} were there.", needed, sizeText(capacity));
    }
    return {};
}

/// The first sentence of the first cause, for causes that neither request nor place explain.
std::string causeSentence(const DeviceDiagnosis& d)
{
    switch (d.causes.front().cause) {
    case Cause::activations:
    case Cause::activations_sequence:
    case Cause::fragmentation:
    case Cause::none:
    case Cause::unclear:
        return {};
    default:
        return d.causes.front().evidence.empty() ? std::string()
                                                 : d.causes.front().evidence.front().text;
    }
}

void append(std::string& text, const std::string& sentence)
{
    if (!sentence.empty()) {
        text += text.empty() ? "" : " ";
        text += sentence;
    }
}

void writeOom(const CauseInput& in, DeviceDiagnosis& d)
{
    d.headline = fmt::format("Out of memory {}: {}", phaseWords(in.facts),
                             causeHeadline(in, d.causes.front().cause));
    append(d.explanation, requestSentence(in));
    append(d.explanation, causeSentence(d));
    if (d.causes.front().cause == Cause::activations
        || d.causes.front().cause == Cause::activations_sequence) {
        append(d.explanation, placeSentence(in));
    }
    append(d.explanation, needSentence(in));
}

std::size_t segmentCount(const Facts& facts)
{
    return facts.device.segments.size();
}

void writeStateOnly(const CauseInput& in, DeviceDiagnosis& d)
{
    const Facts& facts = in.facts;
    d.headline = fmt::format("{} live in {} reserved; no events were recorded",
                             sizeText(facts.moment.active), sizeText(facts.moment.reserved));
    d.explanation = fmt::format(
        "The file holds the memory as it stood at the dump, {} {}, and no history. Record with "
        "torch.cuda.memory._record_memory_history() to see what led to it.",
        formatCount(static_cast<std::int64_t>(segmentCount(facts))),
        segmentCount(facts) == 1 ? "segment" : "segments");
}

void writePeak(const CauseInput& in, DeviceDiagnosis& d)
{
    const Moment& m = in.facts.moment;
    const std::int64_t event = m.state.eventNumber();
    const std::string when = event < 0 ? std::string() : " " + phaseWords(in.facts);
    d.headline = fmt::format("Peak {} at {}{}: {}", sizeText(m.active),
                             event < 0 ? "the start of the trace" : formatEventNumber(event), when,
                             causeHeadline(in, Cause::none));
    const std::int64_t cached = in.cached();
    d.explanation = fmt::format("{} were reserved then, {} of it not in use.", sizeText(m.reserved),
                                sizeText({cached}));
    append(d.explanation, placeSentence(in));
    if (in.basis.capacity.bytes && runsOut(in.facts, in.basis)) {
        d.headline = fmt::format("Does not fit into {}: {}", sizeText(*in.basis.capacity.bytes),
                                 causeHeadline(in, d.causes.front().cause));
        append(d.explanation, fmt::format("The recorded peak alone is {}.", sizeText(m.active)));
    }
}

const Fix* largestSaver(const std::vector<Fix>& fixes, FixStatus status)
{
    const Fix* best = nullptr;
    for (const Fix& fix : fixes) {
        if (fix.status == status && (best == nullptr || fix.saves > best->saves)) {
            best = &fix;
        }
    }
    return best;
}

const Fix* firstWith(const std::vector<Fix>& fixes, FixStatus status)
{
    const auto found = std::ranges::find(fixes, status, &Fix::status);
    return found == fixes.end() ? nullptr : &*found;
}

std::string recommendedTitles(const std::vector<Fix>& fixes)
{
    std::string text;
    for (const Fix& fix : fixes) {
        if (fix.status == FixStatus::recommended) {
            text += (text.empty() ? "" : " + ") + fix.title;
        }
    }
    return text;
}

std::string effectSentence(const Fix& fix, const std::optional<Bytes>& capacity)
{
    return fmt::format("The need falls by {} to {}", sizeText(fix.saves),
                       needText(fix.new_need, fix.new_reserved))
        + (capacity ? fmt::format(", and {} are there.", sizeText(*capacity)) : std::string("."));
}

void writeFix(const CauseInput& in, DeviceDiagnosis& d)
{
    if (!runsOut(in.facts, in.basis)) {
        d.fix_headline = in.basis.capacity.bytes ? "No change is needed: the run fits"
                                                 : "No change is needed: nothing ran out";
        if (in.facts.snapshot.notes.find("cut-off") != nullptr) {
            d.fix_headline = "The file was cut off: what came later is not known";
        }
        if (const Fix* saver = largestSaver(d.fixes, FixStatus::not_needed)) {
            d.fix_explanation = fmt::format("What would free most at the peak: {} ({}).",
                                            saver->title, sizeText(saver->saves));
        }
        return;
    }
    const bool answers = d.answer.has_value() && !d.answer->fixes.empty();
    if (answers && d.answer->fits == true && d.answer->fixes.size() > 1) {
        d.fix_headline = "Cheapest changes that fit together: " + recommendedTitles(d.fixes);
        d.fix_explanation = d.answer->sentence;
        return;
    }
    if (const Fix* best = firstWith(d.fixes, FixStatus::recommended)) {
        d.fix_headline = "Cheapest change that fits: " + best->title;
        d.fix_explanation = best->why;
        if (best->saves.value > 0) {
            append(d.fix_explanation, effectSentence(*best, d.capacity));
        }
        if (answers && d.answer->margin) {
            append(d.fix_explanation,
                   fmt::format("At least {} stay free.", sizeText(*d.answer->margin)));
        }
        return;
    }
    if (const Fix* maybe = firstWith(d.fixes, FixStatus::would_help)) {
        d.fix_headline = "Cheapest change that helps: " + maybe->title;
        d.fix_explanation = maybe->why;
        return;
    }
    if (const Fix* most = largestSaver(d.fixes, FixStatus::not_enough)) {
        const bool is_hopeless = answers && d.answer->fits == false;
        d.fix_headline =
            is_hopeless ? "All changes together are not enough" : "No single change is enough";
        d.fix_explanation = fmt::format("{} frees most, {}, and leaves {} missing.", most->title,
                                        sizeText(most->saves), sizeText(most->short_by));
        if (answers) {
            append(d.fix_explanation, d.answer->sentence);
        }
        return;
    }
    d.fix_headline = "No remedy of the ladder applies";
    d.fix_explanation = "Nothing was seen that one of them would free.";
}

} // namespace

void writeSentences(const CauseInput& in, DeviceDiagnosis& diagnosis)
{
    const Facts& facts = in.facts;
    if (facts.device.isEmpty()) {
        diagnosis.headline = "Nothing was recorded on this device";
        diagnosis.explanation = "The file lists it without events and without memory.";
        return;
    }
    if (facts.isOom()) {
        writeOom(in, diagnosis);
    } else if (facts.device.events.count() == 0) {
        writeStateOnly(in, diagnosis);
    } else {
        writePeak(in, diagnosis);
    }
    writeFix(in, diagnosis);
}

namespace {

/// Parts of a sum as "0.27", rounded so that what is shown adds up to the sum as it is shown: where
/// it does not, those that lie farthest from what is shown for them give way. Empty for 0.00.
std::vector<std::string> shownParts(const std::vector<std::int64_t>& parts)
{
    const auto exact = [](std::int64_t bytes) {
        return static_cast<double>(bytes) * 100 / static_cast<double>(kGiB.value);
    };
    std::vector<std::int64_t> shown;
    std::int64_t sum = 0;
    for (const std::int64_t part : parts) {
        shown.push_back(std::llround(exact(part)));
        sum += part;
    }
    std::int64_t missing =
        std::llround(exact(sum)) - std::accumulate(shown.begin(), shown.end(), std::int64_t{0});
    while (missing != 0) {
        const std::int64_t step = missing > 0 ? 1 : -1;
        std::size_t worst = 0;
        double most = -1;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const double off =
                (exact(parts[i]) - static_cast<double>(shown[i])) * static_cast<double>(step);
            if (off > most && shown[i] + step >= 0) {
                most = off;
                worst = i;
            }
        }
        shown[worst] += step;
        missing -= step;
    }
    std::vector<std::string> words;
    for (const std::int64_t part : shown) {
        words.push_back(part <= 0 ? std::string()
                                  : fmt::format("{}.{:02}", part / 100, part % 100));
    }
    return words;
}

/// What the message adds: the rest of what nvidia-smi shows, split as far as it is named.
std::string outsideWords(const OomMessage& message, const MessageKeys& keys, const Moment& m)
{
    const MessageProof proof = prove(message);
    // The card's size holds at any moment; what was free, the trace has itself.
    const std::string other_moment = whyOfAnotherMoment(message, keys);
    const bool is_of_another = !other_moment.empty();
    const std::int64_t in_use =
        message.total->value - (is_of_another ? m.device_free : *message.free).value;
    const std::int64_t outside = in_use - m.reserved.value;
    if (outside < 0) {
        return fmt::format("; only {} of the card's {} are in use: the rest is not on the card",
                           formatGiB({in_use}), formatGiB(*message.total));
    }
    std::string named;
    // What the trace has of the reserved bytes is exact; the message is rounded.
    const std::int64_t own =
        proof.own ? std::max<std::int64_t>(0, proof.own->mid - m.reserved.value) : 0;
    const std::int64_t others = proof.others ? proof.others->mid : 0;
    const std::int64_t excess = own + others - outside;
    if (is_of_another) {
        named = "not named: the message is of another moment: " + other_moment;
    } else if (excess > kMiB.value * 20) { // above what the printed digits leave open
        named = fmt::format("but the processes' own figures give {}, {} more",
                            formatGiB({own + others}), formatGiB({excess}));
    } else if (own + others > 0) {
        static constexpr std::array<std::string_view, 3> kNames{"this process", "other processes",
                                                                "not named"};
        const std::int64_t of_own = std::min(own, outside);
        const std::int64_t of_others = std::min(others, outside - of_own);
        const auto amounts = shownParts({of_own, of_others, outside - of_own - of_others});
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            if (!amounts[i].empty()) {
                named +=
                    fmt::format("{}{} {} GiB", named.empty() ? "" : ", ", kNames[i], amounts[i]);
            }
        }
    }
    return fmt::format("; outside PyTorch {}{} of the card's {}; together {} in use, as nvidia-smi "
                       "shows",
                       formatGiB({outside}), named.empty() ? "" : " (" + named + ")",
                       formatGiB(*message.total), formatGiB({in_use}));
}

/// What the capture module adds: the card as the driver showed it, at the OOM or at the dump.
std::optional<std::string> capturedOutside(const Facts& facts)
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
    const Bytes in_use = total - (is_of_oom ? m.device_free : *device->free);
    const Bytes outside = in_use - (is_of_oom ? m.reserved : *device->reserved);
    if (outside.value < 0) {
        return std::nullopt; // Virtual memory: more is reserved than lies on the card.
    }
    return is_of_oom
        ? fmt::format("; outside PyTorch {} of the card's {}, not named; together {} in use, as "
                      "nvidia-smi shows",
                      formatGiB(outside), formatGiB(total), formatGiB(in_use))
        : fmt::format("; outside PyTorch {} of the card's {} when the file was written, not named",
                      formatGiB(outside), formatGiB(total));
}

struct SumPart {
    std::string_view name;
    std::int64_t bytes = 0;
};

/// In GiB with the two decimals that every table shows; what is too small to show is left out.
std::string sumWords(const std::vector<SumPart>& parts)
{
    std::vector<std::int64_t> bytes;
    for (const SumPart& part : parts) {
        bytes.push_back(part.bytes);
    }
    const std::vector<std::string> amounts = shownParts(bytes);
    std::string words;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!amounts[i].empty()) {
            words += fmt::format("{}{} {}", words.empty() ? "" : " + ", parts[i].name, amounts[i]);
        }
    }
    return words;
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
        sum.push_back({label::bucketName(label::bucketAt(b)), m.buckets[b]});
    }
    sum.push_back({"cached", in.cached()});
    sum.push_back({"private pools", facts.replay.privateCachedAt(m.state).value});
    const std::string parts = sumWords(sum);
    std::string text = parts.empty()
        ? fmt::format("{} reserved", formatGiB(m.reserved))
        : fmt::format("{} = {} reserved", parts, formatGiB(m.reserved));
    const auto& message = facts.message;
    if (message && message->total && message->free) {
        return text + outsideWords(*message, messageKeysOf(facts.analysis, facts.index), m);
    }
    if (const auto captured = capturedOutside(facts)) {
        return text + *captured;
    }
    return text + "; what lies outside PyTorch is not in the file";
}

} // namespace tidemark::diagnose
