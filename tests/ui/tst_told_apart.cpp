// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/band_grouping.h"
#include "ui/models/told_apart.h"

#include <QtCore/QSet>
#include <QtTest/QTest>

namespace tidemark::tst_told_apart {

using namespace tidemark::ui;

class TstToldApart : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void whatAllShareIsLeftOut()
    {
        QCOMPARE(toldApart({QStringLiteral("train.py:84 step › model.py:71 › model.py:39 › Linear"),
                            QStringLiteral("train.py:84 step › model.py:71 › model.py:41 › Linear"),
                            QStringLiteral("train.py:84 step › model.py:71 › Embedding")}),
                 QStringList({QStringLiteral("… › model.py:39 › Linear"),
                              QStringLiteral("… › model.py:41 › Linear"),
                              QStringLiteral("… › Embedding")}));
    }
    void whatDiffersMayLieFarOut()
    {
        QCOMPARE(toldApart({QStringLiteral("train.py:84 step › model.py:71 › Linear"),
                            QStringLiteral("eval.py:12 › model.py:71 › Linear")}),
                 QStringList({QStringLiteral("train.py:84 step › … › Linear"),
                              QStringLiteral("eval.py:12 › … › Linear")}));
        // One that ends as another does says what lies around it.
        QCOMPARE(toldApart({QStringLiteral("model.py:71 › Linear"), QStringLiteral("Linear")}),
                 QStringList({QStringLiteral("model.py:71 › Linear"), QStringLiteral("Linear")}));
    }
    void namesWithoutPartsStay()
    {
        QCOMPARE(toldApart({}), QStringList());
        const QStringList names{QStringLiteral("No module"), QStringLiteral("Other (3)"),
                                QStringLiteral("Other (3)"), QString()};
        QCOMPARE(toldApart(names), names);
    }
    void differentNamesNeverReadAlike()
    {
        QStringList names;
        for (int i = 0; i < 200; ++i) {
            QStringList parts;
            for (int rest = i; rest > 0; rest /= 3) {
                parts << QStringLiteral("m%1").arg(rest % 3);
            }
            names << (parts << QStringLiteral("Linear")).join(QStringLiteral(" › "));
        }
        const QStringList told = toldApart(names);
        QCOMPARE(told.size(), names.size());
        QCOMPARE(QSet<QString>(told.begin(), told.end()).size(),
                 QSet<QString>(names.begin(), names.end()).size());
    }
    void bandsThatWouldReadAlikeAreSaidWhole()
    {
        BandGrouping grouping;
        grouping.bands.names = {"a.py:1 › modeling_large.py:12 forward › Linear",
                                "a.py:1 › modeling_small.py:12 forward › Linear", "Other"};
        for (const std::string& name : grouping.bands.names) {
            grouping.brief_names << QString::fromStdString(name);
        }
        grouping.brief_names = toldApart(grouping.brief_names);
        const auto ends = [](const QString& words) {
            return words.size() < 13 ? words
                                     : QString(words.left(6) % QChar(0x2026) % words.right(6));
        };
        const auto brief = [&](std::size_t band) {
            return briefBandName(&grouping, label::bucketAt(band), ends);
        };
        QVERIFY(brief(0) != brief(1));
        QVERIFY(brief(0).contains(QStringLiteral("modeling_large.py:12")));
        QCOMPARE(brief(2), QStringLiteral("Other"));
        QCOMPARE(briefBandName(nullptr, label::Bucket::input, ends), QStringLiteral("Inputs"));
    }
};

TIDEMARK_TEST(TstToldApart)

} // namespace tidemark::tst_told_apart

#include "tst_told_apart.moc"
