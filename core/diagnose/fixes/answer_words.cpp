// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/answer_words.h"

#include "core/base/format.h"
#include "core/diagnose/fixes/fix_judge.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::diagnose {

Answer nothingNeeded(const Outcome& recorded)
{
    Answer answer;
    answer.new_need = roundedBytes(recorded.need.requested.mid);
    answer.new_reserved = roundedBytes(recorded.need.reserved.mid);
    answer.fits = recorded.fits;
    answer.margin = recorded.margin();
    const Bytes spare{std::max<std::int64_t>(0, answer.margin.value_or(Bytes{}).value)};
    answer.sentence = recorded.fits == true
        ? fmt::format("No change is needed: {} of the {} there are stay free.", sizeText(spare),
                      sizeText(*recorded.capacity.bytes))
        : "Nothing ran out. " + whyUnknown(recorded);
    return answer;
}

std::string answerSentence(const FixInput& input, const Answer& answer, const Outcome& outcome,
                           const std::string& titles)
{
    const Bytes before = roundedBytes(input.in.basis.before.requested.mid);
    std::string text = fmt::format("{}: the need falls from {} to {}.", titles, sizeText(before),
                                   sizeText(answer.new_need));
    if (before == answer.new_need) {
        text = titles + '.';
    }
    if (answer.fits == true && answer.margin) {
        text += fmt::format(" With what the allocator keeps beside it, at least {} of the {} there "
                            "are stay free.",
                            sizeText(*answer.margin), sizeText(*outcome.capacity.bytes));
    } else if (answer.fits == false) {
        text += fmt::format(" That is everything that helps, and {} are still missing.",
                            sizeText(outcome.shortBy()));
    } else {
        text += " Whether that is enough is not known. " + whyUnknown(outcome);
    }
    if (!answer.batch.empty()) {
        text += fmt::format(" Effective batch: {}.", answer.batch);
    }
    return text;
}

std::string togetherSentence(const OwnEffect& alone, const std::string& others)
{
    const std::string by_itself = alone.short_by.value > 0
        ? fmt::format("Alone it is {} short; together", sizeText(alone.short_by))
        : std::string("Alone it is not certain to be enough; together");
    return fmt::format("{} with “{}” it fits.", by_itself, others);
}

} // namespace tidemark::diagnose
