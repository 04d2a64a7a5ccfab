// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/sentences.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/doubts.h"
#include "core/diagnose/causes/findings.h"
#include "core/label/stacks/stack_text.h"
#include "core/trace/cut_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

std::string phaseWords(const CauseInput& in)
{
    const Facts& facts = in.facts;
    const std::uint32_t step = facts.stepAtMoment();
    if (isInCutPass(facts)) {
        return say("in a cut-off pass");
    }
    if (in.run == RunCase::generation || in.run == RunCase::scoring) {
        return runCaseWords(in.run);
    }
    const std::int64_t number = facts.labels.numbers.of(step);
    const label::PhaseInfo& phase = label::infoOf(facts.phaseAtMoment());
    return step == 0 ? std::string(translated(phase.when))
                     : fmt::format(fmt::runtime(translated(phase.when_in_step)), number);
}

/// What was asked, what was there, and whether the allocator could have helped.
std::string requestSentence(const CauseInput& in)
{
    const Moment& m = in.facts.moment;
    const std::int64_t cached_bytes = in.cached();
    const Bytes requested = m.requested;
    const Bytes cached{cached_bytes};
    if (!m.device_free) {
        return say("Tried to allocate {} with {} cached; free memory was not recorded.", requested,
                   cached);
    }
    const Bytes free_bytes = *m.device_free;
    const Bytes free = free_bytes;
    if (free_bytes >= m.tried && in.basis.died_with.is_limit) {
        return say("Tried to allocate {} with {} cached; the GPU had {} free, but this process is "
                   "limited to {}.",
                   requested, cached, free, in.basis.died_with.ends());
    }
    if (free_bytes >= m.tried) {
        return say("Tried to allocate {} with {} free and {} cached, so a lack of memory is not "
                   "the reason.",
                   requested, free, cached);
    }
    if (free_bytes >= m.requested) {
        // The driver is asked for whole segments: 2 or 20 MiB, or a multiple of 2 MiB. What is
        // short would be lost in figures of one unit for all.
        return say("Tried to allocate {} with {} free and {} cached. cudaMalloc needs a whole "
                   "segment, {}: {} short.",
                   m.requested, free_bytes, cached, m.tried, m.tried - free_bytes);
    }
    if (cached_bytes >= m.requested.value && m.largest_hole < m.requested) {
        return say(
            "Tried to allocate {} with {} free and {} cached, but the largest free block was {}.",
            requested, free, cached, m.largest_hole);
    }
    if (free_bytes.value + cached_bytes >= m.tried.value) {
        return say(
            "Tried to allocate {} with {} free and {} cached: enough together, but not contiguous.",
            requested, free, cached);
    }
    return say(
        "Tried to allocate {} with {} free and {} cached: no allocator setting could have helped.",
        requested, free, cached);
}

/// `place`: the line that holds most of them, which need not be the only one.
std::string attentionSentence(const CauseInput& in, const PlaceSum* place)
{
    const Measures& m = in.measures;
    const Bytes size{m.attention.live()};
    const std::string what = m.attention_layers > 1
        ? say("Attention matrices of {} blocks take {}", m.attention_layers, size)
        : say("Attention matrices take {}", size);
    if (place == nullptr) {
        return what + '.';
    }
    const Bytes here{std::min(place->sum.bytes, m.attention.live())};
    return here == size ? fmt::format("{} ({}).", what, place->text())
                        : say("{}, {} at {}.", what, here, place->text());
}

/// The piece of the user's program that holds most.
std::string placeSentence(const CauseInput& in)
{
    const Measures& m = in.measures;
    const PlaceSum* largest = m.places.empty() ? nullptr : &m.places.front();
    if (largest != nullptr && m.attention.live() * 3 > in.total()) {
        const auto matrix = std::ranges::find_if(
            m.places, [&](const PlaceSum& p) { return p.sum.stack == m.attention.stack; });
        return attentionSentence(in, matrix == m.places.end() ? nullptr : &*matrix);
    }
    if (largest == nullptr || largest->sum.bytes * 10 < in.total()) {
        return {};
    }
    return sayCounted(largest->sum.count, "{} allocated {} in {} block.",
                      "{} allocated {} in {} blocks.", largest->text(), Bytes{largest->sum.bytes},
                      formatCount(largest->sum.count));
}

std::string needSentence(const CauseInput& in)
{
    const Need& need = in.basis.before;
    const auto mid = Bytes{std::llround(need.requested.mid)};
    if (!in.basis.capacity.bytes) {
        return {};
    }
    const Between capacity = in.basis.capacity.ends();
    const Bytes reserved{std::llround(need.reserved.mid)};
    if (in.basis.growth.kind != GrowthKind::none && need.is_open) {
        return {}; // the cause says it
    }
    if (need.is_open) {
        return need.notes.empty() ? std::string() : need.notes.back();
    }
    if (need.known_to_follow * 50 > mid.value) {
        const std::string text =
            say("Finishing the step would take {}; {} available.",
                Around{reserved, roundedBytes(need.reserved.low), roundedBytes(need.reserved.high)},
                capacity);
        return need.notes.empty() ? text : text + ' ' + need.notes.front();
    }
    if (mid > in.basis.capacity.most()) {
        return reserved > mid ? say("The run needs {} ({} with allocator overhead); {} available.",
                                    mid, reserved, capacity)
                              : say("The run needs {}; {} available.", mid, capacity);
    }
    return {};
}

/// The first sentence of the first cause, for causes that neither request nor place explain.
std::string causeSentence(const DeviceDiagnosis& d)
{
    const CauseFinding& first = d.causes.front();
    return infoOf(first.cause).is_told_elsewhere || first.evidence.empty()
        ? std::string()
        : first.evidence.front().text;
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
    d.headline =
        say("Out of memory {}: {}", phaseWords(in), causeHeadline(in, d.causes.front().cause));
    const Cause first = d.causes.front().cause;
    d.explanation = sayTogether([&] {
        const std::string told = causeSentence(d);
        std::string text;
        if (first != Cause::memory_fraction || told.empty()) { // Which says what was asked, too.
            text = requestSentence(in);
        }
        append(text, told);
        append(text, needSentence(in));
        if (first == Cause::activations || first == Cause::activations_sequence) {
            append(text, placeSentence(in));
        }
        return text;
    });
}

std::size_t segmentCount(const Facts& facts)
{
    return facts.device.segments.size();
}

void writeStateOnly(const CauseInput& in, DeviceDiagnosis& d)
{
    const Facts& facts = in.facts;
    d.headline = say("{} allocated in {} reserved; no history to show an OOM", facts.moment.active,
                     facts.moment.reserved);
    if (trace::endsEarly(facts.snapshot.notes)) {
        d.headline = say("{} allocated in {} reserved, in the segments that arrived",
                         facts.moment.active, facts.moment.reserved);
        return;
    }
    const auto segments = static_cast<std::int64_t>(segmentCount(facts));
    d.explanation = sayCounted(segments,
                               "State only: {} segment at the dump, no history. To see what led to "
                               "it, record with torch.cuda.memory._record_memory_history().",
                               "State only: {} segments at the dump, no history. To see what led "
                               "to it, record with torch.cuda.memory._record_memory_history().",
                               formatCount(segments));
}

/// What is wrong with the file comes before what it says.
void writeBrokenCopy(const CauseInput& in, DeviceDiagnosis& d)
{
    const std::string words = trace::brokenCopyWords(in.facts.snapshot);
    if (words.empty()) {
        return;
    }
    std::string rest = say("Recovered: {}.", d.headline);
    append(rest, d.explanation);
    d.headline = words;
    d.explanation = std::move(rest);
    d.causes.front().to_be_sure = say("Copy the file again.");
}

/// "train.py:12" of the line that keeps something.
std::string keptAt(const CauseInput& in, StackId stack)
{
    const std::string line =
        label::frameText(in.facts.snapshot, in.facts.stacks.lines(stack).shown);
    return line.substr(0, line.find(' '));
}

/// Of what each step or batch keeps; empty: nothing is kept.
std::string keptHeadline(const CauseInput& in)
{
    const std::optional<Kept> kept = keptToTell(in);
    if (!kept) {
        return {};
    }
    const std::string place = keptAt(in, kept->stack);
    const Signed each{{kept->per_turn}};
    if (kept->is_evaluation) {
        return place.empty() ? say("{} every evaluation batch", each)
                             : say("{} every evaluation batch from {}", each, place);
    }
    std::string text =
        place.empty() ? say("{} every step", each) : say("{} every step from {}", each, place);
    if (in.basis.capacity.bytes) {
        const auto need = static_cast<std::int64_t>(in.basis.before.reserved.mid);
        const std::int64_t left = in.basis.capacity.bytes->value - need;
        const std::int64_t steps = std::max<std::int64_t>(0, left) / kept->per_turn;
        text += sayCounted(steps, "; full in {} step", "; full in {} steps", formatCount(steps));
    }
    return text;
}

void writePeak(const CauseInput& in, DeviceDiagnosis& d)
{
    const Moment& m = in.facts.moment;
    const std::int64_t event = m.state.eventNumber();
    const std::string place = event < 0 ? say("the start of the trace") : formatEventNumber(event);
    const std::string when = event < 0 ? place : place + ' ' + phaseWords(in);
    d.headline = isInCutPass(in.facts)
        ? say("Peak so far {} at {}", m.active, when)
        : say("Peak {} at {}: {}", m.active, when, causeHeadline(in, Cause::none));
    if (contradictsItself(in.facts)) {
        d.headline = say("The file contradicts itself: {} allocated at {}, {} reserved", m.active,
                         place, m.reserved);
        d.explanation = say("Trace and segments do not match, so all sizes are uncertain.");
        return;
    }
    const std::int64_t cached = in.cached();
    d.explanation = sayTogether([&] {
        std::string text =
            say("Reserved {} at the peak, {} of it unused.", m.reserved, Bytes{cached});
        append(text, placeSentence(in));
        return text;
    });
    for (const std::string_view said : {kKeptGraphs, kEachStep}) {
        const auto finding = std::ranges::find(d.findings, said, &Finding::id);
        append(d.explanation, finding == d.findings.end() ? std::string() : finding->evidence.text);
    }
    if (in.basis.capacity.bytes && runsOut(in.facts, in.basis)) {
        d.headline = say("Does not fit in {}: {}", in.basis.capacity.ends(),
                         causeHeadline(in, d.causes.front().cause));
        append(d.explanation, say("The recorded peak is {}.", m.active));
    } else if (std::string kept = keptHeadline(in); !kept.empty()) {
        std::string peak = std::exchange(d.headline, std::move(kept)) + '.';
        append(peak, d.explanation);
        d.explanation = std::move(peak);
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

/// Of those that free a good part of the peak the first of the ladder, else the largest.
const Fix* cheapestSaver(const DeviceDiagnosis& d, const Facts& facts)
{
    static constexpr std::int64_t kGoodPart = 10; // one part in so many
    const auto saves = [](const Fix& fix) {
        return fix.status == FixStatus::not_needed || fix.status == FixStatus::would_help;
    };
    const Fix* best = nullptr;
    for (const Fix& fix : d.fixes) {
        if (saves(fix) && fix.saves.value * kGoodPart >= facts.moment.active.value) {
            return &fix;
        }
        best = saves(fix) && (best == nullptr || fix.saves > best->saves) ? &fix : best;
    }
    return best;
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
std::string effectSentence(const Fix& fix, const CauseInput& in, const DeviceDiagnosis& d)
{
    const Bytes before = roundedBytes(in.basis.before.reserved.mid);
    const Bytes taken = fix.new_reserved;
    if (!d.capacity) {
        return say("Needs {} instead of {}.", taken, before);
    }
    const Between room{*d.capacity, d.mostCapacity()};
    if (d.answer && d.answer->margin && *d.capacity - *d.answer->margin > taken) {
        return say("Needs {} of {} instead of {}.",
                   Around{taken, d.answer->least_reserved, *d.capacity - *d.answer->margin}, room,
                   before);
    }
    return say("Needs {} of {} instead of {}.", Bare{taken}, room, before);
}

/// Where nothing ran out as far as the file goes, but it does not go far enough.
std::string whyNothingIsKnown(const CauseInput& in)
{
    const std::vector<Doubt> doubts = doubtsOf(in);
    for (const Doubt doubt : doubts) {
        switch (doubt) {
        case Doubt::contradiction:
            return say("The file contradicts itself: fixes can't be judged");
        case Doubt::no_history:
            return say("No history recorded, so an OOM can't be seen");
        case Doubt::cut_off:
            return say("The file is cut off: later events are missing");
        case Doubt::late:
            return say("The recording misses the peak");
        case Doubt::unlabelled:
            break;
        }
    }
    return {};
}

/// A plan has not run yet: all that can be said is whether it fits.
std::string planHeadline(const CauseInput& in)
{
    if (!in.basis.capacity.bytes) {
        return say("A plan: set a GPU to see whether it fits");
    }
    const Between room = in.basis.capacity.ends();
    return fitsInto(in.basis.before, in.basis.capacity) == true
        ? say("The plan fits in {}", room)
        : say("The plan may not fit in {}", room);
}

void writeFix(const CauseInput& in, DeviceDiagnosis& d)
{
    const bool needs_fix = needsFix(in.facts, in.basis);
    if (!needs_fix && in.facts.isOom()) {
        d.fix_headline = say("Fits in {} as recorded: no fix needed", in.basis.capacity.ends());
        d.fix_explanation = say("The run died with {}.", in.basis.died_with.ends());
        append(d.fix_explanation, d.answer ? d.answer->sentence : std::string());
        return;
    }
    if (!needs_fix) {
        d.fix_headline = in.basis.capacity.bytes ? say("The run fits: no fix needed")
                                                 : say("No OOM in this recording");
        if (in.facts.analysis.planned) {
            d.fix_headline = planHeadline(in);
        } else if (std::string unknown = whyNothingIsKnown(in); !unknown.empty()) {
            d.fix_headline = std::move(unknown);
        }
        const Fix* const saver = cheapestSaver(d, in.facts);
        if (saver != nullptr && !contradictsItself(in.facts)) {
            d.fix_explanation =
                say("Cheapest way to free memory: {} ({}).", saver->title, saver->saves);
        }
        return;
    }
    const bool answers = d.answer.has_value() && !d.answer->fixes.empty();
    if (answers && d.answer->fits == true && d.answer->fixes.size() > 1) {
        d.fix_headline = say("Cheapest fixes together: {}", recommendedTitles(d.fixes));
        d.fix_explanation = d.answer->sentence;
        return;
    }
    if (const Fix* best = firstWith(d.fixes, FixStatus::recommended)) {
        d.fix_headline = say("Cheapest fix: {}", best->title);
        d.fix_explanation = best->saves.value > 0 ? effectSentence(*best, in, d) : std::string();
        append(d.fix_explanation, best->why);
        return;
    }
    if (const Fix* maybe = firstWith(d.fixes, FixStatus::would_help)) {
        d.fix_headline = say("Cheapest fix that may do: {}", maybe->title);
        d.fix_explanation = maybe->why;
        return;
    }
    if (const Fix* most = largestSaver(d.fixes, FixStatus::not_enough)) {
        const bool is_hopeless = answers && d.answer->fits == false;
        d.fix_headline =
            is_hopeless ? say("All fixes together are not enough") : say("No single fix is enough");
        d.fix_explanation =
            say("{} frees most, {}, but is {} short.", most->title, most->saves, most->short_by);
        if (answers) {
            append(d.fix_explanation, d.answer->sentence);
        }
        return;
    }
    d.fix_headline = say("No known fix applies");
    d.fix_explanation = say("None of them would free anything here.");
}

} // namespace

void writeSentences(const CauseInput& in, DeviceDiagnosis& diagnosis)
{
    const Facts& facts = in.facts;
    if (facts.device.isEmpty()) {
        diagnosis.headline = say("No memory was recorded on this device");
        diagnosis.explanation = say("The file lists it without events or memory.");
        writeBrokenCopy(in, diagnosis);
        return;
    }
    if (facts.isOom()) {
        writeOom(in, diagnosis);
    } else if (!holdsHistory(facts)) {
        writeStateOnly(in, diagnosis);
    } else {
        writePeak(in, diagnosis);
    }
    writeBrokenCopy(in, diagnosis);
    writeFix(in, diagnosis);
}

} // namespace tidemark::diagnose
