// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/tidemark/screenshot.h"

#include "app/tidemark/example.h"
#include "ui/models/session.h"
#include "ui/models/text.h"
#include "ui/views/analysis_page.h"
#include "ui/views/main_window.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDeadlineTimer>
#include <QtCore/QEventLoop>
#include <QtCore/QThread>
#include <QtGui/QPixmap>

#include <chrono>

namespace tidemark::app {
namespace {

/// Layouts, queued replots and models settle within a few rounds of the event loop.
constexpr int kSettlingRounds = 8;
constexpr std::chrono::seconds kLongestPrediction{60};

void settle()
{
    for (int i = 0; i < kSettlingRounds; ++i) {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
    }
}

} // namespace

Result<Done> takeScreenshot(const Options& options)
{
    ui::Session session(options.read);
    session.setRuleOptions(options.rules);
    ui::Preferences preferences;
    preferences.setTheme(options.theme.value_or(ui::ThemeChoice::light));
    ui::WindowServices services;
    services.example_path = examplePath();
    ui::MainWindow window(session, preferences, std::move(services));
    window.resize(options.width, options.height);
    window.show();

    QStringList paths;
    for (const std::string& file : options.files) {
        paths << ui::pathText(file);
    }
    if (options.example) {
        paths << examplePath();
    }
    session.addFiles(paths, options.input);
    QEventLoop loop;
    QObject::connect(&session, &ui::Session::progressChanged, &loop, [&] {
        if (!session.isLoading()) {
            loop.quit();
        }
    });
    if (session.isLoading()) {
        loop.exec();
    }
    if (!session.failures().empty()) {
        const ui::OpenFailure& failure = session.failures().front();
        return Error{
            ErrorCode::cannotOpen, ui::utf8(failure.path) + ": " + ui::utf8(failure.sentence), {}};
    }
    settle();
    const QString view = ui::text(options.view);
    const bool is_page = view == QStringLiteral("overview") && paths.size() > 1;
    if (!is_page && !window.showView(view, true)) {
        return Error{ErrorCode::badArgument,
                     "The view '" + options.view + "' has nothing to show for what was opened.",
                     {}};
    }
    settle();
    const QDeadlineTimer patience(kLongestPrediction);
    while (window.analysisPage().isBusy() && !patience.hasExpired()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 100);
        QThread::msleep(10);
    }
    settle();
    if (!window.grab().save(ui::text(options.screenshot), "PNG")) {
        return Error{ErrorCode::cannotWrite,
                     "The picture '" + options.screenshot
                         + "' cannot be written; choose another folder or name.",
                     {}};
    }
    return Done{};
}

} // namespace tidemark::app
