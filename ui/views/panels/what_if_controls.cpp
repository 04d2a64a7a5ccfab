// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/what_if_controls.h"

#include "core/base/language.h"
#include "core/diagnose/predict/change_words.h"
#include "ui/models/text.h"
#include "ui/views/panels/what_if_panel.h"

namespace tidemark::ui {
namespace {

using diagnose::Change;
using diagnose::ChangeGroup;
using diagnose::ChangeKind;
using diagnose::ChangeValue;
using diagnose::ChangeWord;
using diagnose::ValueForm;

QString said(const char* english)
{
    return english == nullptr ? QString() : text(translated(english));
}

/// "set-to-none" is the object "setToNone".
QString idOf(std::string_view words)
{
    QString id;
    bool is_first = false;
    for (const QChar letter : text(words)) {
        if (letter != u'-') {
            id += is_first ? letter.toUpper() : letter;
        }
        is_first = letter == u'-';
    }
    return id;
}

Change changeOf(const ChangeWord& word, const ChangeValue& value)
{
    return word.form == ValueForm::count ? Change{word.kind, text(value.word).toDouble(), {}}
                                         : Change{word.kind, 0, std::string(value.word)};
}

ChangeControl* makeSwitch(const ChangeWord& word, QWidget* parent)
{
    return new SwitchControl(changeOf(word, word.values.front()), idOf(word.id), said(word.title),
                             said(word.help), parent);
}

ChangeControl* makeNumber(const ChangeWord& word, QWidget* parent)
{
    if (word.form == ValueForm::ratio) {
        return new RatioControl(word.kind, idOf(word.id), said(word.title), said(word.help),
                                parent);
    }
    return new CountControl(
        word.kind, idOf(word.id), said(word.title), said(word.help),
        {static_cast<int>(word.largest), static_cast<int>(word.usual), word.takes_layers},
        word.as_recorded == nullptr ? WhatIfPanel::tr("as recorded") : said(word.as_recorded),
        parent);
}

ChangeControl* makeChoice(const ChangeWord& word, QWidget* parent)
{
    ChoiceControl::Choices choices;
    for (const ChangeValue& value : word.values) {
        if (value.title != nullptr && value.help == nullptr) {
            choices.emplace_back(changeOf(word, value), said(value.title));
        }
    }
    std::vector<Change> beside;
    if (word.kind == ChangeKind::zero) {
        beside.push_back(usualGpus()); // A share of one is the whole.
    }
    return new ChoiceControl(idOf(word.id), said(word.title), said(word.help), std::move(choices),
                             parent, std::move(beside));
}

ChangeControl* makeControl(const ChangeWord& word, QWidget* parent)
{
    return word.values.empty()                 ? makeNumber(word, parent)
        : word.values.front().title == nullptr ? makeSwitch(word, parent)
                                               : makeChoice(word, parent);
}

std::vector<ChangeControl*> makeControls(ChangeGroup group, QWidget* parent)
{
    std::vector<ChangeControl*> controls;
    for (const ChangeWord& word : diagnose::changeWords()) {
        if (word.group == group) {
            controls.push_back(makeControl(word, parent));
        }
        for (const ChangeValue& value : word.values) {
            if (value.help != nullptr && value.group == group) {
                controls.push_back(
                    new SwitchControl(changeOf(word, value),
                                      idOf(std::string(word.id) + '-' + std::string(value.word)),
                                      said(value.title), said(value.help), parent));
            }
        }
    }
    return controls;
}

} // namespace

Change usualGpus()
{
    return {ChangeKind::gpus, diagnose::changeWord(ChangeKind::gpus).usual, {}};
}

QString whyNoEffect(ChangeKind kind)
{
    return said(diagnose::changeWord(kind).no_effect);
}

std::vector<ControlGroup> makeControlGroups(QWidget* parent)
{
    return {
        {WhatIfPanel::tr("Each step"), makeControls(ChangeGroup::step, parent)},
        {WhatIfPanel::tr("Forward and backward"), makeControls(ChangeGroup::passes, parent)},
        {WhatIfPanel::tr("Optimizer"), makeControls(ChangeGroup::optimizer_step, parent)},
        {WhatIfPanel::tr("Several GPUs, adapters"), makeControls(ChangeGroup::sharing, parent)}};
}

} // namespace tidemark::ui
