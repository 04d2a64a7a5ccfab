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
        ? fmt::format("No change is needed: {} of the {} available stay free.", sizeText(spare),
                      sizeText(*recorded.capacity.bytes))
        : "Nothing ran out in the file. " + whyUnknown(recorded);
    return answer;
}

std::string answerSentence(const FixInput& input, const Answer& answer, const Outcome& outcome,
                           const std::string& titles)
{
    const Bytes before = roundedBytes(input.in.basis.before.requested.mid);
    std::string text = titles + '.';
    if (before != answer.new_need) {
        text = fmt::format("{}: {} less is needed.", titles, sizeText(before - answer.new_need));
    }
    if (answer.fits == true && answer.margin) {
        const Bytes most = *outcome.capacity.bytes - *answer.margin;
        text += fmt::format(
            " The run then takes {}{} of the {} available.", sizeText(answer.new_reserved),
            most > answer.new_reserved ? fmt::format(", at most {},", sizeText(most))
                                       : std::string(),
            sizeText(*outcome.capacity.bytes));
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
