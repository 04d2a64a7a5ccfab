// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/sentences.h"

#include "core/base/format.h"
#include "core/diagnose/causes/doubts.h"
#include "core/label/runs/step_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

std::string phaseWords(const CauseInput& in)
{
    const Facts& facts = in.facts;
    const std::uint32_t step = facts.stepAtMoment();
    if (isInCutPass(facts)) {
        return "in a pass that the file cuts off";
    }
    if (in.run == RunCase::generation || in.run == RunCase::scoring) {
        return std::string(runCaseWords(in.run));
    }
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
    if (!m.device_free) {
        return fmt::format(
            "It asked for {} with {} cached; what the driver had free is not recorded.",
            sizeText(m.requested), sizeText({cached}));
    }
    const Bytes free = *m.device_free;
    const std::string figures =
        fmt::format("It asked for {} with {} free and {} cached", sizeText(m.requested),
                    sizeText(free), sizeText({cached}));
    const std::int64_t together = free.value + cached;
    if (free >= m.tried) {
        return figures + ", so memory alone does not explain it.";
    }
    if (free >= m.requested) {
        // The driver is asked for whole segments: 2 or 20 MiB, or a multiple of 2 MiB.
        return fmt::format("{}. The driver is asked for whole segments, here for {}: {} short.",
                           figures, sizeText(m.tried), sizeText(m.tried - free));
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
        return fmt::format("With what was still to come the run needs {}; {} available.", needed,
                           sizeText(capacity));
    }
    if (mid > capacity) {
        return fmt::format("The run needs {}; {} available.", needed, sizeText(capacity));
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
    d.headline = fmt::format("Out of memory {}: {}", phaseWords(in),
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
    d.headline = fmt::format("{} live in {} reserved; the file does not tell whether it ran out",
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
    const std::string when = event < 0 ? std::string() : " " + phaseWords(in);
    const std::string place = event < 0 ? "the start of the trace" : formatEventNumber(event);
    d.headline = fmt::format("{} {} at {}{}{}", isInCutPass(in.facts) ? "Largest so far" : "Peak",
                             sizeText(m.active), place, when,
                             isInCutPass(in.facts) ? "" : ": " + causeHeadline(in, Cause::none));
    if (contradictsItself(in.facts)) {
        d.headline = fmt::format("The file contradicts itself: {} live at {} where {} are reserved",
                                 sizeText(m.active), place, sizeText(m.reserved));
        d.explanation = "Its trace and its segments do not belong together, so nothing that is "
                        "said of sizes is certain.";
        return;
    }
    const std::int64_t cached = in.cached();
    d.explanation = fmt::format("{} were reserved then, {} of them not in use.",
                                sizeText(m.reserved), sizeText({cached}));
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

/// What the run then takes from the driver: one figure, and what it is at most.
std::string effectSentence(const Fix& fix, const DeviceDiagnosis& d)
{
    std::string text = fmt::format("It frees {}; the run then takes {}", sizeText(fix.saves),
                                   sizeText(fix.new_reserved));
    if (!d.capacity) {
        return text + '.';
    }
    const Bytes* const margin = d.answer && d.answer->margin ? &*d.answer->margin : nullptr;
    if (margin != nullptr && *d.capacity - *margin > fix.new_reserved) {
        text += fmt::format(", at most {},", sizeText(*d.capacity - *margin));
    }
    return text + fmt::format(" of the {} available.", sizeText(*d.capacity));
}

/// Where nothing ran out as far as the file goes, but it does not go far enough.
std::string_view whyNothingIsKnown(const CauseInput& in)
{
    const std::vector<Doubt> doubts = doubtsOf(in);
    for (const Doubt doubt : doubts) {
        switch (doubt) {
        case Doubt::contradiction:
            return "The file contradicts itself: no change can be judged";
        case Doubt::no_history:
            return "The file does not tell whether it ran out";
        case Doubt::cut_off:
            return "The file was cut off: what came later is not known";
        case Doubt::late:
            return "The recording does not hold the largest moment";
        case Doubt::unlabelled:
            break;
        }
    }
    return {};
}

void writeFix(const CauseInput& in, DeviceDiagnosis& d)
{
    if (!runsOut(in.facts, in.basis)) {
        d.fix_headline = in.basis.capacity.bytes ? "No change is needed: the run fits"
                                                 : "No change is needed: nothing ran out";
        if (const std::string_view unknown = whyNothingIsKnown(in); !unknown.empty()) {
            d.fix_headline = unknown;
        }
        const Fix* saver = largestSaver(d.fixes, FixStatus::not_needed);
        saver = saver == nullptr ? largestSaver(d.fixes, FixStatus::would_help) : saver;
        if (saver != nullptr && !contradictsItself(in.facts)) {
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
            append(d.fix_explanation, effectSentence(*best, d));
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
    } else if (!holdsHistory(facts)) {
        writeStateOnly(in, diagnosis);
    } else {
        writePeak(in, diagnosis);
    }
    writeFix(in, diagnosis);
}

} // namespace tidemark::diagnose
