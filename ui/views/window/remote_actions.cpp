// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/remote_actions.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/remote_dialog.h"
#include "ui/views/look/arrival_strip.h"
#include "ui/views/look/strips.h"

#include <QtCore/QFileInfo>

#include <utility>

namespace tidemark::ui {

RemoteActions::RemoteActions(Session& session, NoticeStrip& notices, ArrivalStrip& strip,
                             Window window, QWidget* parent)
    : QObject(parent)
    , m_session(session)
    , m_notices(notices)
    , m_strip(strip)
    , m_show(std::move(window))
    , m_window(parent)
{
    connect(&m_strip, &ArrivalStrip::stopRequested, this, &RemoteActions::stop);
}

RemoteDialog& RemoteActions::dialog()
{
    auto* dialog = m_window->findChild<RemoteDialog*>();
    if (dialog == nullptr) {
        dialog = new RemoteDialog(m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &RemoteDialog::progressed, this, &RemoteActions::follow);
        connect(dialog, &RemoteDialog::arrived, this, &RemoteActions::take);
        connect(dialog, &RemoteDialog::failed, this, [this](const QString& sentence) {
            end();
            m_notices.showFailure(sentence);
        });
        connect(dialog, &RemoteDialog::stopped, this, &RemoteActions::end);
    }
    return *dialog;
}

void RemoteActions::open(const QString& address)
{
    RemoteDialog& asking = dialog();
    asking.show();
    asking.raise();
    if (!address.isEmpty()) {
        end();
        asking.open(address);
    }
}

void RemoteActions::follow(const remote::Received& received)
{
    const auto now = PartSchedule::Clock::now();
    const QString path = pathText(received.copy);
    if (path != m_arriving) {
        end();
        m_arriving = path;
        m_schedule.start(now);
    }
    const OpenFile* shown = m_session.find(m_part);
    m_was_drawn = m_was_drawn || (shown != nullptr && shown->canDraw());
    const bool was_closed = m_was_drawn && shown == nullptr; // Nobody wants to look at it now.
    if (!received.so_far.empty() && !was_closed
        && m_schedule.isDue(received.share(), m_session.isReading(m_part), now)) {
        const FileId part = m_session.showPart(path, pathText(received.so_far),
                                               {received.share(), true}, received.size);
        if (std::exchange(m_part, part) != part) {
            m_show.show(part);
        }
        dialog().hide(); // The strip says from now on how far it is.
    }
    if (m_part != 0) {
        const bool is_part = shown != nullptr && shown->canDraw() && shown->part;
        const QString words = QFileInfo(path).fileName() % QStringLiteral(": ")
            % text(remote::receivedWords(received));
        m_strip.show(
            is_part
                ? tr("%1; showing the first %2").arg(words, text(formatPercent(shown->part->share)))
                : words,
            received.share());
    }
}

void RemoteActions::take(const QStringList& files, const QStringList& anew, const QString& notice)
{
    QStringList others;
    for (const QString& file : files) {
        const OpenFile* open = m_session.find(m_session.idOf(file));
        if (open != nullptr && (open->part || anew.contains(file))) {
            m_session.readAgain(open->id);
        }
        if (open != nullptr && open->id == m_part) {
            m_show.keep(file); // The person sees it, or chose to look at something else meanwhile.
        } else {
            others << file;
        }
    }
    m_arriving.clear(); // What is shown of it becomes all of it.
    end();
    m_show.open(others);
    if (!notice.isEmpty()) {
        m_notices.showFailure(notice);
    }
}

void RemoteActions::stop()
{
    const OpenFile* shown = m_session.find(m_part);
    if (shown != nullptr && shown->part) {
        m_notices.showNotice(tr("Stopped; the partial %1 is kept. Open it again to resume.")
                                 .arg(QFileInfo(shown->path).fileName()));
    }
    dialog().stop();
    dialog().close();
}

void RemoteActions::end()
{
    if (!m_arriving.isEmpty()) {
        m_session.endArrival(m_part);
    }
    m_arriving.clear();
    m_part = 0;
    m_was_drawn = false;
    m_strip.hide();
}

} // namespace tidemark::ui
