// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/views/window/desktop_notice.h"
#include "ui/views/window/watch_actions.h"

#include <QtCore/QProcess>
#include <QtCore/QStandardPaths>
#include <QtCore/QTemporaryDir>
#include <QtDBus/QDBusMessage>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

namespace tidemark::tst_desktop_notice {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000;

/// A bus of its own, as a session has one.
class Bus {
public:
    Bus()
    {
        m_daemon.start(QStringLiteral("dbus-daemon"),
                       {QStringLiteral("--session"), QStringLiteral("--nofork"),
                        QStringLiteral("--print-address")});
        if (m_daemon.waitForStarted() && m_daemon.waitForReadyRead()) {
            m_address = QString::fromUtf8(m_daemon.readLine()).trimmed();
        }
    }
    Bus(const Bus&) = delete;
    Bus& operator=(const Bus&) = delete;
    ~Bus()
    {
        m_daemon.terminate();
        m_daemon.waitForFinished();
    }
    [[nodiscard]] const QString& address() const
    {
        return m_address;
    }
    [[nodiscard]] QDBusConnection connect(const char* name) const
    {
        return QDBusConnection::connectToBus(m_address, QString::fromLatin1(name));
    }

private:
    QProcess m_daemon;
    QString m_address;
};

/// What a desktop shows, and what it was told to.
class Desktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    struct Shown {
        uint replaces = 0;
        QString title;
        QString body;
        QStringList actions;
    };
    std::vector<Shown> shown;
    bool reads_markup = true;

    explicit Desktop(const QDBusConnection& bus)
        : m_bus(bus)
    {
        m_bus.registerObject(QStringLiteral("/org/freedesktop/Notifications"), this,
                             QDBusConnection::ExportAllSlots);
        m_bus.registerService(QStringLiteral("org.freedesktop.Notifications"));
    }
    ~Desktop() override
    {
        m_bus.unregisterService(QStringLiteral("org.freedesktop.Notifications"));
        m_bus.unregisterObject(QStringLiteral("/org/freedesktop/Notifications"));
    }
    void choose(uint id)
    {
        QDBusMessage signal = QDBusMessage::createSignal(
            QStringLiteral("/org/freedesktop/Notifications"),
            QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("ActionInvoked"));
        signal << id << QStringLiteral("default");
        m_bus.send(signal);
    }

public Q_SLOTS:
    QStringList GetCapabilities()
    {
        return reads_markup ? QStringList{QStringLiteral("body"), QStringLiteral("body-markup")}
                            : QStringList{QStringLiteral("body")};
    }
    uint Notify(const QString&, uint replaces, const QString&, const QString& title,
                const QString& body, const QStringList& actions, const QVariantMap&, int)
    {
        shown.push_back({replaces, title, body, actions});
        return 7;
    }

private:
    QDBusConnection m_bus;
};

} // namespace

class TstDesktopNotice : public QObject {
    Q_OBJECT

    std::unique_ptr<Bus> m_bus;

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(!QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty(),
                 "dbus-daemon is missing");
        m_bus = std::make_unique<Bus>();
        QVERIFY(!m_bus->address().isEmpty());
        // What the window takes for the session's, which is asked for once per process.
        qputenv("DBUS_SESSION_BUS_ADDRESS", m_bus->address().toUtf8());
    }
    void cleanupTestCase()
    {
        for (const char* name : {"desktop", "program"}) {
            QDBusConnection::disconnectFromBus(QString::fromLatin1(name));
        }
        m_bus.reset();
    }

    void whatComesFromAFileIsNoMarkup()
    {
        Desktop desktop(m_bus->connect("desktop"));
        DesktopNotice notice(m_bus->connect("program"));
        notice.show(QStringLiteral("<b>run</b>\n.pickle"),
                    QStringLiteral("a <img src='x'> & \u202eb"));
        QTRY_COMPARE(desktop.shown.size(), 1UL);
        QCOMPARE(desktop.shown[0].title, QStringLiteral("<b>run</b> .pickle")); // Never markup.
        QCOMPARE(desktop.shown[0].body, QStringLiteral("a &lt;img src='x'&gt; &amp; b"));
        QCOMPARE(desktop.shown[0].replaces, 0U);
        notice.show(QStringLiteral("next"), QString(5000, u'x'));
        QTRY_COMPARE(desktop.shown.size(), 2UL);
        QCOMPARE(desktop.shown[1].body, QString(399, u'x') + u'…');
        QTRY_COMPARE(desktop.shown[1].replaces, 7U); // It takes the place of the one before.

        desktop.reads_markup = false;
        DesktopNotice plain(m_bus->connect("program"));
        plain.show(QStringLiteral("run"), QStringLiteral("a < b"));
        QTRY_COMPARE(desktop.shown.size(), 3UL);
        QCOMPARE(desktop.shown[2].body, QStringLiteral("a < b"));
    }

    void whoChoosesItIsHeard()
    {
        Desktop desktop(m_bus->connect("desktop"));
        DesktopNotice notice(m_bus->connect("program"));
        QSignalSpy activated(&notice, &DesktopNotice::activated);
        desktop.choose(7); // Somebody else's.
        notice.show(QStringLiteral("run"), QStringLiteral("words"));
        QTRY_COMPARE(desktop.shown.size(), 1UL);
        QCOMPARE(desktop.shown[0].actions[0], QStringLiteral("default"));
        QTest::qWait(50); // Its number comes back.
        desktop.choose(8);
        desktop.choose(7);
        QTRY_COMPARE(activated.size(), 1);
    }

    void whereNobodyShowsItThatIsSaid()
    {
        DesktopNotice notice(m_bus->connect("program"));
        QSignalSpy refused(&notice, &DesktopNotice::refused);
        notice.show(QStringLiteral("run"), QStringLiteral("words"));
        QTRY_COMPARE(refused.size(), 1);
        DesktopNotice without(QDBusConnection(QStringLiteral("no bus")));
        QSignalSpy at_once(&without, &DesktopNotice::refused);
        without.show(QStringLiteral("run"), QStringLiteral("words"));
        QCOMPARE(at_once.size(), 1);
    }

    void aLineIsShortAndHarmless()
    {
        QCOMPARE(harmlessLine(QStringLiteral(" a\tb\n c\u0007\u200b "), 100),
                 QStringLiteral("a b c"));
        QCOMPARE(harmlessLine(QStringLiteral("abcdef"), 4), QStringLiteral("abc…"));
        QCOMPARE(harmlessLine(QStringLiteral("ab\U0001F600def"), 4), QStringLiteral("ab…"));
        QCOMPARE(harmlessLine(QStringLiteral("abcd"), 4), QStringLiteral("abcd"));
    }

    void aWatchedRunThatDiedIsTold()
    {
        Desktop desktop(m_bus->connect("desktop"));
        const QTemporaryDir folder;
        test::Opened opened(QSize(1200, 800));
        opened.show();
        WatchActions& watch = opened.window.watchActions();
        watch.watcher().setInterval(20);
        watch.watch(folder.path());
        QTest::qWait(100);
        QVERIFY(QFile::copy(test::examplePath(), folder.filePath(QStringLiteral("<b>.pickle"))));
        QTRY_COMPARE_WITH_TIMEOUT(desktop.shown.size(), 1UL, kPatience);
        QCOMPARE(desktop.shown[0].title, QStringLiteral("<b>.pickle"));
        QVERIFY2(desktop.shown[0].body.startsWith(QStringLiteral("Out of memory")),
                 qPrintable(desktop.shown[0].body));
    }
};

TIDEMARK_TEST(TstDesktopNotice)

} // namespace tidemark::tst_desktop_notice

#include "tst_desktop_notice.moc"
