// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/tidemark/settings.h"

#include "ui/models/band_grouping.h"
#include "ui/models/source_places.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QSettings>
#include <QtGui/QScreen>

#include <algorithm>

namespace tidemark::app {
namespace {

constexpr int kVersion = 1;

QString key(const char* name)
{
    return QStringLiteral("v%1/").arg(kVersion) + QString::fromLatin1(name);
}

} // namespace

void loadPreferences(ui::Preferences& preferences)
{
    const QSettings settings;
    const QString theme = settings.value(key("theme")).toString();
    preferences.setTheme(theme == QStringLiteral("dark")        ? ui::ThemeChoice::dark
                             : theme == QStringLiteral("light") ? ui::ThemeChoice::light
                                                                : ui::ThemeChoice::system);
    preferences.setLanguage(settings.value(key("language")).toString());
    preferences.setRestoresSession(settings.value(key("restore"), true).toBool());
    preferences.setRecentFiles(settings.value(key("recent")).toStringList());
    const QVariantMap peaks = settings.value(key("peaks")).toMap();
    for (const QString& path : preferences.recentFiles()) {
        preferences.setPeak(path, peaks.value(path).toLongLong());
    }
}

void savePreferences(const ui::Preferences& preferences)
{
    QSettings settings;
    switch (preferences.theme()) {
    case ui::ThemeChoice::system:
        settings.setValue(key("theme"), QStringLiteral("system"));
        break;
    case ui::ThemeChoice::light:
        settings.setValue(key("theme"), QStringLiteral("light"));
        break;
    case ui::ThemeChoice::dark:
        settings.setValue(key("theme"), QStringLiteral("dark"));
        break;
    }
    settings.setValue(key("language"), preferences.language());
    settings.setValue(key("restore"), preferences.restoresSession());
    const QStringList recent =
        preferences.recentFilesWith(settings.value(key("recent")).toStringList());
    settings.setValue(key("recent"), recent);
    const QVariantMap known = settings.value(key("peaks")).toMap();
    QVariantMap peaks;
    for (const QString& path : recent) {
        const qint64 peak = preferences.peakOf(path);
        peaks[path] = peak > 0 ? QVariant(peak) : known.value(path);
    }
    settings.setValue(key("peaks"), peaks);
}

/// Neither the first size nor one of another screen reaches over this one's edges, and the title
/// that the desktop puts above it is on the screen, too.
void keepOnScreen(QWidget& window)
{
    const QScreen* const screen = window.screen();
    if (screen == nullptr || window.isMaximized() || window.isFullScreen()) {
        return;
    }
    // Of a usual desktop; this one's is known only once the window is shown.
    constexpr QMargins kFrame(6, 34, 6, 6);
    const QRect room = screen->availableGeometry().marginsRemoved(kFrame);
    QRect place(window.pos(), window.size().boundedTo(room.size()));
    place.moveLeft(std::clamp(place.left(), room.left(), room.right() + 1 - place.width()));
    place.moveTop(std::clamp(place.top(), room.top(), room.bottom() + 1 - place.height()));
    window.setGeometry(place);
}

void loadWindow(ui::MainWindow& window, std::optional<QSize> size)
{
    const QSettings settings;
    window.resize(1500, 860);
    window.restoreGeometry(settings.value(key("geometry")).toByteArray());
    if (size) {
        window.setWindowState(Qt::WindowNoState);
        window.resize(*size);
    }
    keepOnScreen(window);
    const QByteArray panels = settings.value(key("panels")).toByteArray();
    if (!panels.isEmpty()) {
        window.analysisPage().restoreLayout(panels);
    }
    window.analysisPage().panel<ui::AllocationsPanel>().restoreChoices(
        settings.value(key("allocations")).toString());
    window.analysisPage().sourcePlaces().restore(settings.value(key("sources")).toStringList(),
                                                 settings.value(key("editor")).toInt());
    window.analysisPage().sourcePlaces().setOwnCommand(
        settings.value(key("editorCommand")).toString());
    const QByteArray bands = settings.value(key("bands")).toByteArray();
    window.analysisPage().timeline().grouper().setBy(
        query::bandByFromId(std::string_view(bands.data(), std::size_t(bands.size())))
            .value_or(query::BandBy::bucket));
}

void saveWindow(ui::MainWindow& window)
{
    QSettings settings;
    settings.setValue(key("geometry"), window.saveGeometry());
    settings.setValue(key("panels"), window.analysisPage().saveLayout());
    settings.setValue(key("allocations"),
                      window.analysisPage().panel<ui::AllocationsPanel>().savedChoices());
    const ui::SourcePlaces& sources = window.analysisPage().sourcePlaces();
    settings.setValue(key("sources"), sources.saved());
    settings.setValue(key("editor"), static_cast<int>(sources.editor()));
    settings.setValue(key("editorCommand"), sources.ownCommand());
    const std::string_view bands = query::bandById(window.analysisPage().timeline().grouper().by());
    settings.setValue(key("bands"), QByteArray(bands.data(), qsizetype(bands.size())));
}

} // namespace tidemark::app
