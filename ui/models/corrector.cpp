// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/corrector.h"

#include "core/pipeline/saved_rules.h"
#include "ui/models/text.h"

#include <QtGui/QUndoCommand>

#include <algorithm>

namespace tidemark::ui {

/// From one list of corrections to another.
class Corrector::Step final : public QUndoCommand {
public:
    Step(Corrector& corrector, FileId file, std::vector<label::Correction> after,
         const QString& what)
        : QUndoCommand(what)
        , m_corrector(corrector)
        , m_file(file)
        , m_before(corrector.rules(file).begin(), corrector.rules(file).end())
        , m_after(std::move(after))
    {
    }
    void undo() override
    {
        m_corrector.apply(m_file, m_before);
    }
    void redo() override
    {
        m_corrector.apply(m_file, m_after);
    }

private:
    Corrector& m_corrector;
    FileId m_file;
    std::vector<label::Correction> m_before;
    std::vector<label::Correction> m_after;
};

Corrector::Corrector(Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&m_session, &Session::filesChanged, this, &Corrector::forgetClosed);
}

void Corrector::setCurrent(FileId id)
{
    const auto stack = m_stacks.find(id);
    m_group.setActiveStack(stack == m_stacks.end() ? nullptr : stack->second.get());
}

std::span<const label::Correction> Corrector::rules(FileId id) const
{
    const OpenFile* file = m_session.find(id);
    return file == nullptr ? std::span<const label::Correction>() : std::span(file->rules);
}

void Corrector::add(FileId id, std::vector<label::Correction> rules, const QString& what)
{
    const auto present = this->rules(id);
    rules.insert(rules.begin(), present.begin(), present.end());
    change(id, std::move(rules), what);
}

void Corrector::replace(FileId id, std::size_t index, const label::Correction& rule)
{
    const auto present = rules(id);
    if (index < present.size() && present[index] != rule) {
        std::vector<label::Correction> after(present.begin(), present.end());
        after[index] = rule;
        change(id, std::move(after), tr("Edit Correction"));
    }
}

void Corrector::remove(FileId id, std::vector<std::size_t> indices)
{
    const auto present = rules(id);
    std::vector<label::Correction> after;
    for (std::size_t i = 0; i < present.size(); ++i) {
        if (std::ranges::find(indices, i) == indices.end()) {
            after.push_back(present[i]);
        }
    }
    if (after.size() != present.size()) {
        change(id, std::move(after), tr("Remove Correction"));
    }
}

void Corrector::move(FileId id, const std::vector<std::size_t>& indices, std::size_t before)
{
    const auto present = rules(id);
    std::vector<label::Correction> ahead;
    std::vector<label::Correction> moved;
    std::vector<label::Correction> behind;
    for (std::size_t i = 0; i < present.size(); ++i) {
        const bool is_moved = std::ranges::find(indices, i) != indices.end();
        (is_moved ? moved : i < before ? ahead : behind).push_back(present[i]);
    }
    ahead.insert(ahead.end(), moved.begin(), moved.end());
    ahead.insert(ahead.end(), behind.begin(), behind.end());
    if (!std::ranges::equal(ahead, present)) {
        change(id, std::move(ahead), tr("Move Correction"));
    }
}

void Corrector::change(FileId id, std::vector<label::Correction> after, const QString& what)
{
    const OpenFile* file = m_session.find(id);
    if (file == nullptr) {
        return;
    }
    if (file->is_loading) {
        Q_EMIT notYetPossible(tr("Still reading the file; correct labels afterwards."));
        return;
    }
    std::unique_ptr<QUndoStack>& stack = m_stacks[id];
    if (!stack) {
        stack = std::make_unique<QUndoStack>();
        m_group.addStack(stack.get());
        m_group.setActiveStack(stack.get());
    }
    stack->push(new Step(*this, id, std::move(after), what)); // The stack owns it and redoes it.
}

void Corrector::apply(FileId id, const std::vector<label::Correction>& rules)
{
    const OpenFile* file = m_session.find(id);
    if (file == nullptr) {
        return;
    }
    if (!m_saved.contains(id)) {
        // What was loaded from there comes before what was given for every file.
        const auto count =
            file->rules.size() - std::min(file->rules.size(), m_session.ruleOptions().rules.size());
        m_saved[id].assign(file->rules.begin(),
                           file->rules.begin() + static_cast<std::ptrdiff_t>(count));
    }
    m_session.setRules(id, rules);
    if (m_session.ruleOptions().use_saved) {
        save(*file);
    }
}

void Corrector::save(const OpenFile& file)
{
    auto saved = pipeline::saveRules(file.analysis.file, m_session.ruleOptions().folder, file.rules,
                                     m_saved[file.id]);
    if (!saved.has_value()) {
        Q_EMIT saveFailed(text(saved.error().message));
        return;
    }
    const FileId id = file.id;
    m_saved[id] = saved.value().merged.value_or(file.rules);
    if (saved.value().merged) {
        m_session.setRules(id, *saved.value().merged);
        // Steps back would lead to lists that the other program knows nothing of. This may be one
        // of them, so it ends first.
        QMetaObject::invokeMethod(
            this,
            [this, id] {
                if (const auto stack = m_stacks.find(id); stack != m_stacks.end()) {
                    stack->second->clear();
                }
            },
            Qt::QueuedConnection);
        Q_EMIT merged();
    }
    if (!saved.value().is_beside && std::ranges::find(m_told_away, id) == m_told_away.end()) {
        m_told_away.push_back(id);
        Q_EMIT savedAway(pathText(saved.value().file));
    }
}

void Corrector::forgetClosed()
{
    for (auto entry = m_stacks.begin(); entry != m_stacks.end();) {
        if (m_session.find(entry->first) == nullptr) {
            m_group.removeStack(entry->second.get());
            entry = m_stacks.erase(entry);
        } else {
            ++entry;
        }
    }
    std::erase_if(m_saved,
                  [this](const auto& entry) { return m_session.find(entry.first) == nullptr; });
}

} // namespace tidemark::ui
