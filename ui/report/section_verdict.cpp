// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/report/fix_words.h"
#include "ui/models/facts_model.h"
#include "ui/models/fixes_model.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

#include <QtCore/QStringList>

#include <algorithm>

namespace tidemark::ui::report {
namespace {

/// One figure of the strip under the verdict.
struct KeyFigure {
    QString name;
    QString value;
    QString detail;
};

void addFigureStrip(PageFlow& flow, const std::vector<KeyFigure>& figures)
{
    constexpr double kGap = 14;
    const auto count = static_cast<double>(figures.size());
    const double width = (flow.width() - (count - 1) * kGap) / count;
    struct Item {
        TextBlock name;
        TextBlock value;
        TextBlock detail;
    };
    std::vector<Item> items;
    double height = 0;
    for (const KeyFigure& figure : figures) {
        Item item{TextBlock(figure.name, kSmall, width),
                  TextBlock(figure.value, TextStyle{12, true, false, kInk}, width),
                  TextBlock(figure.detail, kSmall, width)};
        height = std::max(height, item.name.height() + item.value.height() + item.detail.height());
        items.push_back(std::move(item));
    }
    QPointF at = flow.take(height).topLeft();
    for (const Item& item : items) {
        flow.add([item, at](QPainter& painter) {
            item.name.draw(painter, at);
            item.value.draw(painter, at + QPointF(0, item.name.height()));
            item.detail.draw(painter, at + QPointF(0, item.name.height() + item.value.height()));
        });
        at.rx() += width + kGap;
    }
    flow.space(6);
}

QString confidenceText(double score)
{
    return score >= 0.75 ? ReportWords::tr("Confidence high.")
        : score >= 0.45  ? ReportWords::tr("Confidence medium.")
                         : ReportWords::tr("Confidence low.");
}

/// The two checks that let a reader trust the verdict: the recipe and the sum.
QString trustText(const RunView& run)
{
    QStringList parts;
    if (!run.diagnosis->recipe.text.empty()) {
        parts << shown(run.diagnosis->recipe.text);
    }
    if (!run.analysis->diagnosis->sum_check.empty()) {
        parts << shown(run.analysis->diagnosis->sum_check);
    }
    const auto& causes = run.diagnosis->causes;
    if (!causes.empty() && causes.front().cause != diagnose::Cause::none) {
        parts << confidenceText(causes.front().score);
    }
    return parts.join(QStringLiteral("  ·  "));
}

void addTitle(PageFlow& flow, const RunView& run)
{
    const TextStyle title{17, true, false, kInk};
    flow.addBookmark(fileTitle(run), 0);
    addParagraph(flow, {{elidedMiddle(fileTitle(run), title, flow.width()), title}}, 0, 1);
    QStringList facts;
    if (run.device != nullptr) {
        facts << deviceName(*run.device)
              << ReportWords::tr("%Ln event|"
                                 "%Ln events",
                                 nullptr,
                                 plural(static_cast<std::int64_t>(run.device->events.count())));
        if (run.snapshot->devices.size() > 1) {
            facts.front() = ReportWords::tr("%1, one of %2 devices")
                                .arg(facts.front())
                                .arg(run.snapshot->devices.size());
        }
    }
    facts << ReportWords::tr("file of %1")
                 .arg(bytesText({static_cast<std::int64_t>(run.snapshot->file_bytes)}));
    addParagraph(flow, {{facts.join(QStringLiteral(" · ")), TextStyle{9, false, false, kGrey}}}, 0,
                 9);
}

void addCards(PageFlow& flow, const RunView& run)
{
    const ThemeColours& colours = themeColours(Theme::light);
    const diagnose::DeviceDiagnosis& d = *run.diagnosis;
    std::vector<std::vector<Run>> verdict;
    verdict.push_back({{shown(d.headline), TextStyle{12, true, false, kInk}}});
    if (!d.explanation.empty()) {
        verdict.push_back({{shown(d.explanation), kBody}});
    }
    if (!d.settings_verdict.empty()) {
        verdict.push_back({{shown(d.settings_verdict), kBody}});
    }
    if (const QString trust = trustText(run); !trust.isEmpty()) {
        verdict.push_back({{trust, kSmall}});
    }
    addCard(flow, run.isOom() ? colours.danger : colours.accent, verdict);
    if (d.fix_headline.empty()) {
        return;
    }
    std::vector<std::vector<Run>> fix;
    fix.push_back({{shown(d.fix_headline), TextStyle{11, true, false, colours.good}}});
    if (!d.fix_explanation.empty()) {
        fix.push_back({{shown(d.fix_explanation), kBody}});
    }
    // An explanation of several changes is the answer's sentence.
    const bool is_said =
        d.answer && d.fix_explanation.find(d.answer->sentence) != std::string::npos;
    const QString next = text(tidemark::report::nextPeakText(*run.analysis, run.device_index));
    for (const QString& facts :
         {is_said ? QString() : answerFacts(d), next, limitsText(d.limits)}) {
        if (!facts.isEmpty()) {
            fix.push_back({{shown(utf8(facts)), kSmall}});
        }
    }
    addCard(flow, colours.good, fix);
}

std::vector<KeyFigure> keyFigures(const RunView& run)
{
    const replay::DeviceReplay& r = *run.replay;
    std::vector<KeyFigure> figures;
    figures.push_back(
        {ReportWords::tr("Peak, requested bytes"), bytesText(r.activeAt(r.peak)),
         run.hasHistory() ? stateAndPlace(run, r.peak) : ReportWords::tr("at the dump")});
    const std::int64_t reserved = *std::max_element(r.reserved.begin(), r.reserved.end());
    figures.push_back({ReportWords::tr("Most reserved"), bytesText({reserved}),
                       ReportWords::tr("%1 at the peak").arg(bytesText(r.reservedAt(r.peak)))});
    if (run.isOom()) {
        const diagnose::Moment& moment = run.diagnosis->moment;
        figures.push_back(
            {ReportWords::tr("Asked for at the OOM"), bytesText(moment.requested),
             ReportWords::tr("%1 free on the card, %2 in the largest usable hole")
                 .arg(knownText(moment.device_free), bytesText(moment.largest_hole))});
    }
    if (run.diagnosis != nullptr) {
        const diagnose::DeviceDiagnosis& d = *run.diagnosis;
        if (run.isOom()) {
            figures.push_back({ReportWords::tr("Needed"), bytesText(d.need + d.overhead),
                               ReportWords::tr("%1 requested + %2 overhead")
                                   .arg(bytesText(d.need), bytesText(d.overhead))});
        }
        figures.push_back({ReportWords::tr("Capacity"),
                           d.capacity ? bytesText(*d.capacity) : ReportWords::tr("not known"),
                           shown(d.capacity_source)});
    }
    return figures;
}

} // namespace

void addVerdict(PageFlow& flow, const RunView& run)
{
    addTitle(flow, run);
    if (run.diagnosis != nullptr && !run.diagnosis->headline.empty()) {
        addCards(flow, run);
    }
    if (run.isEmpty()) {
        addParagraph(
            flow,
            run.device == nullptr
                ? ReportWords::tr("This file lists no device, so there is nothing to draw.")
                : ReportWords::tr(
                      "No memory was allocated or recorded on %1, so there is nothing to draw.")
                      .arg(deviceName(*run.device)));
        return;
    }
    addFigureStrip(flow, keyFigures(run));
}

} // namespace tidemark::ui::report
