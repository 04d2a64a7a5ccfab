// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/address.h"
#include "tests/support/test_main.h"

#include <QtCore/QDir>
#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

namespace tidemark::tst_address {

using namespace tidemark::remote;

class TstAddress : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void addressesAreRead_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("port");
        QTest::addColumn<QString>("path");
        QTest::newRow("scp") << "me@box:/runs/a.pickle"
                             << "me"
                             << "box"
                             << ""
                             << "/runs/a.pickle";
        QTest::newRow("scp, from home") << "box:runs/a b.pickle"
                                        << ""
                                        << "box"
                                        << ""
                                        << "runs/a b.pickle";
        QTest::newRow("scp, six") << "me@[fe80::1%eth0]:/a"
                                  << "me"
                                  << "fe80::1%eth0"
                                  << ""
                                  << "/a";
        QTest::newRow("url") << "ssh://me@box.lab:2222/runs/a.pickle"
                             << "me"
                             << "box.lab"
                             << "2222"
                             << "/runs/a.pickle";
        QTest::newRow("url, home") << "ssh://box/~/a.pickle"
                                   << ""
                                   << "box"
                                   << ""
                                   << "a.pickle";
        QTest::newRow("url, encoded") << "ssh://box/a%20b%25.pickle"
                                      << ""
                                      << "box"
                                      << ""
                                      << "/a b%.pickle";
        QTest::newRow("a colon in the path") << "box:a:b"
                                             << ""
                                             << "box"
                                             << ""
                                             << "a:b";
        QTest::newRow("an at in the path") << "box:a@b"
                                           << ""
                                           << "box"
                                           << ""
                                           << "a@b";
    }
    void addressesAreRead()
    {
        QFETCH(QString, text);
        QFETCH(QString, user);
        QFETCH(QString, host);
        QFETCH(QString, port);
        QFETCH(QString, path);
        const auto address = parseAddress(text.toStdString());
        QVERIFY(address.has_value());
        QCOMPARE(*address,
                 (Address{host.toStdString(), user.toStdString(), port.toStdString(),
                          path.toStdString()}));
        QCOMPARE(*parseAddress(address->text()), *address);
    }

    void whatIsNoAddressIsLeftAlone_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"run.pickle",
                                 "/runs/a:b.pickle",
                                 "./box:a",
                                 "runs/box:a",
                                 "C:\\runs\\a.pickle",
                                 "box:",
                                 "@box:a",
                                 "https://box/a",
                                 "ssh://",
                                 "ssh://box",
                                 "ssh://box/",
                                 "ssh://box:x/a",
                                 "ssh://box:/a",
                                 "ssh://box:123456/a",
                                 "ssh://box/%zz",
                                 "ssh://box/%4",
                                 "ssh://box/%00",
                                 "-oProxyCommand=x:a",
                                 "ssh://-oProxyCommand=x/a",
                                 "me@-x:a",
                                 "-l@box:a",
                                 "a b:c",
                                 "$(x):a",
                                 "$HOME@box:a",
                                 "ssh://a\\b@box/a",
                                 "RuntimeError: out of memory",
                                 "[::1:a",
                                 "[box]:a",
                                 ""}) {
            QTest::newRow(text) << QString::fromLatin1(text);
        }
    }
    void whatIsNoAddressIsLeftAlone()
    {
        QFETCH(QString, text);
        QVERIFY(!parseAddress(text.toStdString()));
    }

    void aFileOfAFolder()
    {
        const Address folder{"box", "me", "22", "/runs"};
        QCOMPARE(folder.in("a.pickle"), (Address{"box", "me", "22", "/runs/a.pickle"}));
        QCOMPARE((Address{"box", "", "", "runs/"}.in("a.pickle").path),
                 std::string("runs/a.pickle"));
    }

    void whatIsHereIsMeantFirst()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("box:runs")));
        QVERIFY(farAddress("box:runs"));
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(folder.path()));
        QVERIFY(!farAddress("box:runs"));
        QVERIFY(QDir::setCurrent(before));
    }

    void aCopyHasANameThatIsOneHere_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("name");
        QTest::newRow("file") << "/runs/a.pickle"
                              << "a.pickle";
        QTest::newRow("folder") << "/runs/"
                                << "runs";
        QTest::newRow("root") << "/"
                              << "snapshot";
        QTest::newRow("up") << "/runs/.."
                            << "snapshot";
        QTest::newRow("long") << QString(QString(300, QLatin1Char('x')) + QStringLiteral(".pickle"))
                              << QString(QString(193, QLatin1Char('x'))
                                         + QStringLiteral(".pickle"));
    }
    void aCopyHasANameThatIsOneHere()
    {
        QFETCH(QString, path);
        QFETCH(QString, name);
        QCOMPARE(QString::fromStdString(Address{"box", "", "", path.toStdString()}.fileName()),
                 name);
    }
};

TIDEMARK_TEST(TstAddress)

} // namespace tidemark::tst_address

#include "tst_address.moc"
