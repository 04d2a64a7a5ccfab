// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/report/document.h"
#include "core/report/finding.h"
#include "core/report/sections.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_finding {

using namespace tidemark::report;

namespace {

diagnose::Analysis changed(void (*change)(diagnose::DeviceDiagnosis&))
{
    diagnose::Analysis analysis = test::handMadeDeath();
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    change(diagnosis.devices.front());
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    return analysis;
}

} // namespace

class TstFinding : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFindingSaysWhatAndWhichFile()
    {
        const QString text = QString::fromStdString(findingMarkdown(test::handMadeDeath(), 0));
        QVERIFY2(text.startsWith(QStringLiteral("**The card is full.**\n")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("- They hold most of it.\n")));
        QVERIFY(text.contains(QStringLiteral("GPU 0 · OOM at event 5, forward of step 1")));
        QVERIFY(text.endsWith(QLatin1Char('\n')));
    }

    void whatTheVerdictSaysIsNotSaidAgain()
    {
        const diagnose::Analysis analysis = changed([](diagnose::DeviceDiagnosis& diagnosis) {
            diagnosis.explanation = "It was asked. They hold most of it. It needs more.";
            diagnosis.causes.front().evidence.push_back({"New.", {}, StackId::none()});
        });
        for (const std::string& markdown :
             {findingMarkdown(analysis, 0), toMarkdown({"", {verdictSection(analysis, 0)}})}) {
            const QString text = QString::fromStdString(markdown);
            QCOMPARE(text.count(QStringLiteral("They hold most of it.")), 1);
            QVERIFY(text.contains(QStringLiteral("- New.")));
        }
    }

    void itsLinesAreFewWhateverThereIsToSay()
    {
        const diagnose::Analysis analysis = changed([](diagnose::DeviceDiagnosis& diagnosis) {
            for (int i = 0; i < 40; ++i) {
                diagnosis.causes.front().evidence.push_back({"one more", {}, StackId::none()});
            }
            diagnosis.explanation = "first\nsecond\nthird";
            diagnosis.fix_headline = "Cheapest fix";
            diagnosis.fix_explanation = "It\nfits.";
            std::string lines;
            for (int i = 0; i < 40; ++i) {
                lines += "line\n";
            }
            diagnosis.fixes.front().how = {{"PyTorch", lines}};
            diagnosis.answer.emplace();
            diagnosis.answer->fixes = {diagnosis.fixes.front().id};
        });
        const QString text = QString::fromStdString(findingMarkdown(analysis, 0));
        QVERIFY2(text.contains(QStringLiteral("    line\n    …\n")), qPrintable(text));
        QVERIFY(text.count(QLatin1Char('\n')) <= int{kFindingLines});
    }

    void namesAreNoMarkup()
    {
        const diagnose::Analysis analysis = changed([](diagnose::DeviceDiagnosis& diagnosis) {
            diagnosis.headline = "<img src=x>\n# [a](b) `c`";
        });
        const QString text = QString::fromStdString(findingMarkdown(analysis, 0));
        QVERIFY(text.contains(QStringLiteral("\\<img")));
        QVERIFY(!text.contains(QStringLiteral("\n#")));
        QVERIFY(text.contains(QStringLiteral("\\[a\\](b)")));
    }

    void aFileOfNothingSaysSo()
    {
        const QString text =
            QString::fromStdString(findingMarkdown(test::handMadeAnalysis("device 0\n", {}), 0));
        QVERIFY(text.contains(QStringLiteral("nothing to explain")));
    }
};

TIDEMARK_TEST(TstFinding)

} // namespace tidemark::tst_finding

#include "tst_finding.moc"
