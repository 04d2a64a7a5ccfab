// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtDBus/QDBusConnection>

class QDBusPendingCallWatcher;

namespace tidemark::ui {

/// Tells of something by the desktop's notifications (org.freedesktop.Notifications, version 1.2 of
/// the specification), so that it is seen whatever window is in front. Texts may come from a file:
/// they are shortened to a few lines, and nothing in them is markup. Never waits for the bus.
class DesktopNotice : public QObject {
    Q_OBJECT
public:
    /// As a rule that of the session.
    explicit DesktopNotice(const QDBusConnection& bus, QObject* parent = nullptr);

    /// One notice at a time: a newer one takes the place of the former.
    void show(const QString& title, const QString& words);

Q_SIGNALS:
    void activated(); ///< The person chose the notice.
    void refused(); ///< There is no bus, or nobody who shows notices.

private Q_SLOTS:
    void onAction(uint id, const QString& action);

private:
    void askWhatItCan();
    void send();

    QDBusConnection m_bus;
    QString m_title;
    QString m_words;
    bool m_reads_markup = false;
    bool m_has_asked = false;
    uint m_shown = 0; ///< The notice that is replaced by the next one; 0: none.
};

/// A text of at most so many characters, on one line, without what a terminal or a desktop would
/// obey: control characters and those that turn the direction of writing are left out.
[[nodiscard]] QString harmlessLine(const QString& text, qsizetype longest);

} // namespace tidemark::ui
