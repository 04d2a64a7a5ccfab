// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/desktop_notice.h"

#include <QtCore/QStringList>
#include <QtCore/QVariantMap>
#include <QtDBus/QDBusMessage>
#include <QtDBus/QDBusPendingCallWatcher>
#include <QtDBus/QDBusPendingReply>

namespace tidemark::ui {
namespace {

constexpr qsizetype kLongestTitle = 120;
constexpr qsizetype kLongestWords = 400;
constexpr int kPatience = 5000; ///< Milliseconds for an answer.

QString service()
{
    return QStringLiteral("org.freedesktop.Notifications");
}

QString path()
{
    return QStringLiteral("/org/freedesktop/Notifications");
}

QDBusMessage callOf(const char* method)
{
    return QDBusMessage::createMethodCall(service(), path(), service(),
                                          QString::fromLatin1(method));
}

} // namespace

QString harmlessLine(const QString& text, qsizetype longest)
{
    QString line;
    for (const QChar c : text) {
        if (c.isSpace()) {
            line += u' ';
        } else if (c.category() != QChar::Other_Control && c.category() != QChar::Other_Format) {
            line += c;
        }
    }
    line = line.simplified();
    if (line.size() > longest) {
        const bool is_half = line[longest - 2].isHighSurrogate();
        line = line.left(longest - (is_half ? 2 : 1)) + u'…';
    }
    return line;
}

DesktopNotice::DesktopNotice(const QDBusConnection& bus, QObject* parent)
    : QObject(parent)
    , m_bus(bus)
{
    if (m_bus.isConnected()) {
        m_bus.connect(service(), path(), service(), QStringLiteral("ActionInvoked"), this,
                      SLOT(onAction(uint, QString)));
    }
}

void DesktopNotice::show(const QString& title, const QString& words)
{
    m_title = harmlessLine(title, kLongestTitle);
    m_words = harmlessLine(words, kLongestWords);
    if (!m_bus.isConnected()) {
        Q_EMIT refused();
    } else if (m_has_asked) {
        send();
    } else {
        askWhatItCan();
    }
}

/// Where the body may be markup, what looks like it has to be escaped; elsewhere it is shown as is.
void DesktopNotice::askWhatItCan()
{
    auto* watcher =
        new QDBusPendingCallWatcher(m_bus.asyncCall(callOf("GetCapabilities"), kPatience), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this,
            [this](QDBusPendingCallWatcher* call) {
                call->deleteLater();
                const QDBusPendingReply<QStringList> reply = *call;
                if (reply.isError()) {
                    Q_EMIT refused();
                    return;
                }
                m_has_asked = true;
                m_reads_markup = reply.value().contains(QLatin1String("body-markup"));
                send();
            });
}

void DesktopNotice::send()
{
    const QVariantMap hints{
        {QStringLiteral("desktop-entry"), QStringLiteral("org.tidemark.Tidemark")},
        {QStringLiteral("category"), QStringLiteral("transfer.complete")}};
    QDBusMessage call = callOf("Notify");
    call << QStringLiteral("Tidemark") << m_shown << QStringLiteral("org.tidemark.Tidemark")
         << m_title << (m_reads_markup ? m_words.toHtmlEscaped() : m_words)
         << QStringList{QStringLiteral("default"), tr("Show")} << hints << -1;
    auto* watcher = new QDBusPendingCallWatcher(m_bus.asyncCall(call, kPatience), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this,
            [this](QDBusPendingCallWatcher* answered) {
                answered->deleteLater();
                const QDBusPendingReply<uint> reply = *answered;
                if (reply.isError()) {
                    m_has_asked = false; // It may be another one the next time.
                    Q_EMIT refused();
                } else {
                    m_shown = reply.value();
                }
            });
}

void DesktopNotice::onAction(uint id, const QString& action)
{
    if (id == m_shown && m_shown != 0 && action == QLatin1String("default")) {
        Q_EMIT activated();
    }
}

} // namespace tidemark::ui
