// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/tidemark/screenshot.h"

#include "app/cli/remote_input.h"
#include "app/tidemark/example.h"
#include "core/base/language.h"
#include "ui/models/band_grouping.h"
#include "ui/models/letters.h"
#include "ui/models/output_file.h"
#include "ui/models/session.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QBuffer>
#include <QtCore/QCoreApplication>
#include <QtCore/QDeadlineTimer>
#include <QtCore/QEventLoop>
#include <QtCore/QThread>
#include <QtGui/QPixmap>

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

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
    const std::vector<std::filesystem::path> inputs(options.files.begin(), options.files.end());
    const Result<Done> allowed = checkOutput(options.screenshot, OutputKind::png, inputs);
    if (!allowed.has_value()) {
        return allowed;
    }
    if (!ui::hasLetters()) {
        return Error{ErrorCode::cannotWrite, ui::utf8(ui::noLetters()), {}};
    }
    ui::Session session(options.read);
    session.setRuleOptions(options.rules);
    session.setGivenInput(options.input);
    ui::Preferences preferences;
    preferences.setTheme(options.theme.value_or(ui::ThemeChoice::light));
    ui::WindowServices services;
    services.example_path = examplePath();
    ui::MainWindow window(session, preferences, std::move(services));
    window.analysisPage().timeline().grouper().setBy(options.bands.value_or(query::BandBy::bucket));
    window.resize(options.width, options.height);
    window.show();

    QStringList paths;
    for (const std::string& file : options.files) {
        const Result<cli::LocalInput> here = cli::localInput(file);
        if (!here.has_value()) {
            return Error{here.error().code, file + ": " + here.error().message, {}};
        }
        paths << ui::pathText(here.value().file);
    }
    if (options.example) {
        paths << examplePath();
    }
    const auto open = [&](const QStringList& files) { session.addFiles(files, options.input); };
    ui::JobSession& job = window.jobActions().job();
    if (!window.jobActions().take(paths, open)) {
        open(paths);
    }
    std::optional<Error> failure;
    QObject::connect(&job, &ui::JobSession::failed, &window,
                     [&failure](const QStringList& /*paths*/, const QString& sentence) {
                         failure = Error{ErrorCode::cannotOpen, ui::utf8(sentence), {}};
                     });
    QEventLoop loop;
    const auto check = [&] {
        if (!session.isLoading() && !job.isReading()) {
            loop.quit();
        }
    };
    QObject::connect(&session, &ui::Session::progressChanged, &loop, check, Qt::QueuedConnection);
    QObject::connect(&job, &ui::JobSession::progressChanged, &loop, check, Qt::QueuedConnection);
    if (session.isLoading() || job.isReading()) {
        loop.exec();
    }
    if (failure && !job.isOpen() && session.files().empty()) {
        return *failure;
    }
    if (!session.failures().empty()) {
        const ui::OpenFailure& first = session.failures().front();
        return Error{ErrorCode::cannotOpen,
                     ui::pathFrom(first.path).string() + ": " + ui::utf8(first.sentence),
                     {}};
    }
    settle();
    // The page was laid out when the curve was there; whether the verdict stood above it by then is
    // chance.
    window.analysisPage().resetLayout();
    const QString view = ui::text(options.view);
    const bool is_page = view == QStringLiteral("overview") && (paths.size() > 1 || job.isOpen());
    const bool is_dialog = ui::MainWindow::dialogNames().contains(view);
    QWidget* const dialog = is_dialog ? window.openDialog(view) : nullptr;
    const bool is_shown = is_dialog ? dialog != nullptr : is_page || window.showView(view, true);
    if (!is_shown) {
        return Error{ErrorCode::badArgument,
                     say("The view '{}' has nothing to show for this file.", options.view),
                     {}};
    }
    settle();
    const QDeadlineTimer patience(kLongestPrediction);
    const auto is_busy = [&window, dialog] {
        return (dialog != nullptr && dialog->property("busy").toBool())
            || window.analysisPage().isBusy() || window.comparePage().isBusy();
    };
    while (is_busy() && !patience.hasExpired()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 100);
        QThread::msleep(10);
    }
    settle();
    QByteArray picture;
    QBuffer buffer(&picture);
    buffer.open(QIODevice::WriteOnly);
    QWidget& shown = dialog != nullptr && dialog->isWindow() ? *dialog : window;
    if (!shown.grab().save(&buffer, "PNG")) {
        return Error{ErrorCode::internal, say("Cannot draw the picture of the window."), {}};
    }
    return ui::writeOutput(ui::pathText(options.screenshot), picture, OutputKind::png, inputs);
}

} // namespace tidemark::app
