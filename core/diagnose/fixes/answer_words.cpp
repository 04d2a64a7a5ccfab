// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/answer_words.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/fixes/fix_judge.h"

#include <algorithm>

namespace tidemark::diagnose {

Answer nothingNeeded(const Outcome& recorded)
{
    Answer answer;
    answer.new_need = roundedBytes(recorded.need.requested.mid);
    answer.new_reserved = roundedBytes(recorded.need.reserved.mid);
    answer.least_reserved = roundedBytes(recorded.need.reserved.low);
    answer.fits = recorded.fits;
    answer.available = recorded.capacity.bytes;
    answer.margin = recorded.margin();
    const Bytes spare{std::max<std::int64_t>(0, answer.margin.value_or(Bytes{}).value)};
    answer.sentence = recorded.fits == true
        ? say("It fits: {} of {} stay free.", Bare{spare}, recorded.capacity.ends())
        : say("No OOM in this recording.") + ' ' + whyUnknown(recorded);
    return answer;
}

std::string answerSentence(const FixInput& input, const Answer& answer, const Outcome& outcome,
                           const std::string& titles)
{
    const Bytes before = roundedBytes(input.in.basis.before.reserved.mid);
    std::string text = titles + '.';
    if (answer.fits == true && answer.margin) {
        const Bytes capacity = *outcome.capacity.bytes;
        const Bytes most = capacity - *answer.margin;
        const Between room = outcome.capacity.ends();
        text += ' ';
        text += most > answer.new_reserved
            ? say("Needs {} of {} instead of {}.",
                  Around{answer.new_reserved, answer.least_reserved, most}, room, before)
            : say("Needs {} of {} instead of {}.", Bare{answer.new_reserved}, room, before);
    } else if (answer.fits == false) {
        text += ' ' + say("That is every fix, and it is still {} short.", outcome.shortBy());
    } else {
        text += ' ' + say("Unknown whether it fits.") + ' ' + whyUnknown(outcome);
    }
    if (!answer.batch.empty()) {
        text += ' ' + say("Effective batch: {}.", answer.batch);
    }
    return text;
}

std::string togetherSentence(const OwnEffect& alone, const std::string& others)
{
    return alone.short_by.value > 0
        ? say("Alone {} short; fits together with “{}”.", alone.short_by, others)
        : say("Alone it may not be enough; fits together with “{}”.", others);
}

} // namespace tidemark::diagnose
