// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// Every view and every dialog of recordings, without a warning of Qt's: one in sixteen, or all of
// them with TIDEMARK_EVERY_FILE=1 (tests/deep/run.sh window).
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/views/window/analysis_page.h"

#include <QtTest/QTest>

#include <filesystem>
#include <vector>

namespace tidemark::tst_every_view {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 120000;

/// Those that are to be shown, in order.
std::vector<std::filesystem::path> shownRecordings()
{
    constexpr std::size_t kEach = 16;
    const std::vector<std::filesystem::path> all = test::recordings();
    if (qEnvironmentVariableIsSet("TIDEMARK_EVERY_FILE")) {
        return all;
    }
    std::vector<std::filesystem::path> some;
    for (std::size_t i = 0; i < all.size(); i += kEach) {
        some.push_back(all[i]);
    }
    return some;
}

} // namespace

class TstEveryView : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void recordingsAreShown()
    {
        test::Opened opened({1280, 800});
        opened.show();
        for (const auto& path : test::sampled(test::recordings())) {
            opened.window.openFiles({QString::fromStdString(path.string())});
            QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
            QVERIFY2(opened.session.failures().empty(), path.c_str());
            QVERIFY(!opened.window.grab().isNull());
            opened.session.remove(opened.session.files().back().id);
        }
    }

    void ofEveryRecording_data()
    {
        QTest::addColumn<QString>("path");
        for (const std::filesystem::path& file : shownRecordings()) {
            const QString path = QString::fromStdString(file.string());
            QTest::newRow(qPrintable(path.section(u'/', -2))) << path;
        }
    }

    void ofEveryRecording()
    {
        QFETCH(const QString, path);
        test::Opened opened({1280, 800});
        opened.show();
        opened.window.openFiles({path});
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
        test::Opened::settle();
        const bool is_read = opened.session.failures().empty();
        int shown = 0; // The start page and the overview at least.
        for (const QString& view : MainWindow::viewNames()) {
            shown += opened.window.showView(view, false) ? 1 : 0;
            test::Opened::settle();
            QVERIFY(!opened.window.grab().isNull());
        }
        for (const QString& name : MainWindow::dialogNames()) {
            if (QWidget* const dialog = opened.window.openDialog(name)) {
                test::Opened::settle();
                QVERIFY(!dialog->grab().isNull());
                dialog->close();
                test::Opened::settle();
            }
        }
        QTRY_VERIFY_WITH_TIMEOUT(!opened.window.analysisPage().isBusy(), kPatience);
        QVERIFY2(!is_read || shown >= 2, qPrintable(QString::number(shown)));
    }
};

TIDEMARK_TEST(TstEveryView)

} // namespace tidemark::tst_every_view

#include "tst_every_view.moc"
