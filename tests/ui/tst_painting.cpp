// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/timeline_shapes.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/text.h"
#include "ui/models/view_state.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/label_layout.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/swatch.h"
#include "ui/views/panels/evidence_panel.h"
#include "ui/views/timeline/timeline_figure.h"
#include "ui/views/timeline/timeline_marks.h"
#include "ui/views/timeline/timeline_painter.h"
#include "ui/views/timeline/timeline_pixels.h"

#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtTest/QTest>

#include <array>
#include <set>

namespace tidemark::tst_painting {

using namespace tidemark::ui;
using tidemark::test::analysisOf;
using tidemark::test::diagnosedAnalysisOf;
using tidemark::test::smallRun;

namespace {

constexpr std::int64_t kTop = 1000;

/// Columns with `parameter`, `activation` and `temporary` bytes under 900 reserved ones.
projection::TimelineProjection threeBands(int columns)
{
    projection::TimelineProjection projection{{0, 1}, {}};
    for (int i = 0; i < columns; ++i) {
        projection::TimelineColumn column;
        column.buckets[label::indexOf(label::Bucket::parameter)] = 200;
        column.buckets[label::indexOf(label::Bucket::activation)] = 300;
        column.buckets[label::indexOf(label::Bucket::temporary)] = 100;
        column.total = 600;
        column.reserved = 900;
        column.in_trace = true;
        projection.columns.push_back(column);
    }
    return projection;
}

QImage filled(const projection::TimelineProjection& projection, const TimelineStyle& style)
{
    QImage image(static_cast<int>(projection.columns.size()), 100, QImage::Format_RGB32);
    fillBands(image, projection, {0, kTop}, style, 1.0);
    return image;
}

QColor pixel(const QImage& image, int x, std::int64_t bytes)
{
    return image.pixelColor(x,
                            image.height() - 1 - static_cast<int>(bytes * image.height() / kTop));
}

bool isBucketColour(QRgb pixel)
{
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        if (bucketColour(label::bucketAt(b)).rgb() == pixel) {
            return true;
        }
    }
    return false;
}

} // namespace

class TstPainting : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    // Qt keeps scaled pictures by what they were made of, and cells ask for an icon all the time.
    void anIconOfABucketIsAlwaysTheSamePicture()
    {
        std::set<qint64> pictures;
        for (std::size_t i = 0; i < label::kBucketCount; ++i) {
            const label::Bucket bucket = label::bucketAt(i);
            for (const auto make : {bandIcon, hiddenBandIcon}) {
                // At another scale Qt copies what it kept, to set the copy's ratio.
                const auto picture = [&] {
                    return make(bucketColour(bucket)).pixmap({12, 12}, 1.0).cacheKey();
                };
                pictures.insert(picture());
                QCOMPARE(picture(), picture());
            }
        }
        QCOMPARE(pictures.size(), 2 * label::kBucketCount);
    }

    void everyBucketAndPhaseHasAColourOfItsOwn()
    {
        std::set<QRgb> buckets;
        for (std::size_t i = 0; i < label::kBucketCount; ++i) {
            const QColor colour = bucketColour(label::bucketAt(i));
            QVERIFY(colour.isValid());
            buckets.insert(colour.rgb());
        }
        QCOMPARE(buckets.size(), label::kBucketCount);
        for (std::size_t i = 0; i < label::kPhaseCount; ++i) {
            QVERIFY(phaseColour(static_cast<label::Phase>(i)).isValid());
        }
        QCOMPARE(bucketColour(label::Bucket::parameter), QColor(0x44, 0x77, 0xaa));
        QCOMPARE(bucketColour(label::Bucket::activation), QColor(0xdd, 0xaa, 0x33));
    }

    void textIsReadableInBothThemes()
    {
        const auto luminance = [](const QColor& colour) {
            const auto linear = [](float c) {
                return c <= 0.04045F ? c / 12.92F : std::pow((c + 0.055F) / 1.055F, 2.4F);
            };
            return 0.2126F * linear(colour.redF()) + 0.7152F * linear(colour.greenF())
                + 0.0722F * linear(colour.blueF());
        };
        const auto contrast = [&](const QColor& a, const QColor& b) {
            const float x = luminance(a);
            const float y = luminance(b);
            return (std::max(x, y) + 0.05F) / (std::min(x, y) + 0.05F);
        };
        for (const Theme theme : {Theme::light, Theme::dark}) {
            const ThemeColours& colours = themeColours(theme);
            for (const QColor& text : {colours.text, colours.secondary, colours.link, colours.good,
                                       colours.help, colours.danger_text}) {
                QVERIFY2(contrast(text, colours.card) >= 4.5F, qPrintable(text.name()));
            }
            QVERIFY(contrast(colours.accent_text, colours.accent) >= 4.5F);
            QVERIFY(contrast(colours.accent_text, colours.danger) >= 4.5F);
        }
    }

    void bandsStackInTheirOrder()
    {
        const QImage image = filled(threeBands(10), TimelineStyle{});
        QCOMPARE(pixel(image, 5, 100), bucketColour(label::Bucket::parameter));
        QCOMPARE(pixel(image, 5, 400), bucketColour(label::Bucket::activation));
        QCOMPARE(pixel(image, 5, 550), bucketColour(label::Bucket::temporary));
        const QColor card = TimelineStyle{}.colours.card;
        QCOMPARE(pixel(image, 5, 950), card);
        // Cached memory has one calm tint.
        const QColor cached = pixel(image, 0, 720);
        QVERIFY(cached != card);
        for (int x = 0; x < image.width(); ++x) {
            QCOMPARE(pixel(image, x, 720), cached);
        }
    }

    void privatePoolsAreDotted()
    {
        projection::TimelineProjection projection = threeBands(40);
        for (projection::TimelineColumn& column : projection.columns) {
            column.private_cached = 150;
        }
        const QImage image = filled(projection, TimelineStyle{});
        const QColor cached = pixel(image, 0, 880);
        std::set<QRgb> pools;
        for (int x = 0; x < image.width(); ++x) {
            for (int bytes = 620; bytes < 740; bytes += 10) {
                pools.insert(pixel(image, x, bytes).rgb());
            }
        }
        QCOMPARE(pools.size(), std::size_t{2}); // The tint, and the dots on it.
        QVERIFY(pools.contains(cached.rgb()));
    }

    void theLinesOfTheAxisLieBelowTheMemory()
    {
        TimelineStyle style;
        style.cached = false;
        QImage image(10, 400, QImage::Format_RGB32);
        fillBands(image, threeBands(10), {0, kTop}, style, 1.0);
        int above = 0;
        int below = 0;
        for (const AxisTick& tick : byteTicks(kTop, byteTickCount(image.height()))) {
            const auto row = image.height() - 1 - static_cast<int>(tick.at * 0.4);
            if (tick.at > 600 && tick.at < kTop) {
                QVERIFY(image.pixelColor(5, row) != style.colours.card);
                QCOMPARE(image.pixelColor(5, row - 2), style.colours.card);
                QCOMPARE(image.pixelColor(5, row + 2), style.colours.card);
                ++above;
            } else if (tick.at > 0 && tick.at < 600) {
                QVERIFY(isBucketColour(image.pixel(5, row)));
                ++below;
            }
        }
        QVERIFY(above > 0 && below > 0);
    }

    void aHiddenBandLeavesTheStack()
    {
        TimelineStyle style;
        style.visible &= ~(1U << label::indexOf(label::Bucket::parameter));
        const QImage image = filled(threeBands(10), style);
        QCOMPARE(pixel(image, 5, 100), bucketColour(label::Bucket::activation));
        QCOMPARE(pixel(image, 5, 350), bucketColour(label::Bucket::temporary));
        QCOMPARE(pixel(image, 5, 450), style.colours.card); // Cached would float above nothing.
        QCOMPARE(projection::visibleTotal(threeBands(1).columns[0], style.visible), 400);
    }

    void outlinesCoverWhatPixelsCover()
    {
        const auto projection = threeBands(100);
        TimelineStyle style;
        style.cached = false;
        const QImage expected = filled(projection, style);
        QImage image(100, 100, QImage::Format_ARGB32_Premultiplied);
        image.fill(style.colours.card);
        QPainter painter(&image);
        paintBands(painter, {QRectF(0, 0, 100, 100), projection.range, kTop}, projection, style);
        painter.end();
        for (const std::int64_t bytes : {100, 450, 550, 720}) {
            QCOMPARE(pixel(image, 50, bytes), pixel(expected, 50, bytes));
        }
    }

    void thePeakIsVisibleAtEveryWidth()
    {
        const auto analysis = analysisOf(smallRun());
        const projection::AxisMap axis(analysis.snapshot->devices[0], projection::Axis::event);
        const auto& replay = analysis.replay->devices[0];
        for (const int width : {7, 100, 777}) {
            const auto projection = projection::projectTimeline(analysis.curves->devices[0], axis,
                                                                viewExtent(axis), width);
            QImage image(width, 200, QImage::Format_RGB32);
            const double top = static_cast<double>(replay.activeAt(replay.peak).value);
            fillBands(image, projection, {0, top}, TimelineStyle{}, 1.0);
            int reaching = 0;
            for (int x = 0; x < width; ++x) {
                reaching += isBucketColour(image.pixel(x, 0)) ? 1 : 0;
            }
            QVERIFY(reaching > 0);
        }
    }

    void ticksAreRoundAndFew()
    {
        for (double top = 1; top < 1e12; top *= 1.7) {
            for (const int count : {2, 5, 9}) {
                const auto ticks = byteTicks(top, count);
                QVERIFY(!ticks.empty());
                QVERIFY(static_cast<int>(ticks.size()) <= count + 1);
                QCOMPARE(ticks.front().at, 0.0);
                QVERIFY(ticks.back().at <= top * (1 + 1e-9));
            }
        }
        QCOMPARE(byteTicks(11e9, 6).at(1).label, QStringLiteral("2 GiB"));
        QCOMPARE(byteTicks(1.2 * 1073741824, 4).at(1).label, QStringLiteral("0.5 GiB"));
        QCOMPARE(byteTicks(3.0 * 1048576, 4).at(1).label, QStringLiteral("1 MiB"));
        const auto events = axisTicks(projection::Axis::event, {10, 4999}, 5);
        QCOMPARE(events.front().label, QStringLiteral("1000"));
        const auto close_up = axisTicks(projection::Axis::event, {3, 5}, 10);
        QCOMPARE(close_up.size(), 3U); // Whole events only.
        for (const AxisTick& tick : close_up) { // Each where the cursor says its number.
            const StateId state{static_cast<std::uint32_t>(tick.at)};
            QCOMPARE(tick.label, countText(state.eventNumber()));
        }
    }

    void timesHaveTheUnitThatSuitsThem_data()
    {
        QTest::addColumn<double>("begin");
        QTest::addColumn<double>("end");
        QTest::addColumn<QString>("second");
        QTest::newRow("µs") << 0.0 << 500.0 << QStringLiteral("100 µs");
        QTest::newRow("ms") << 0.0 << 50e3 << QStringLiteral("10 ms");
        QTest::newRow("fractions of ms") << 0.0 << 2e3 << QStringLiteral("0.5 ms");
        QTest::newRow("s") << 0.0 << 9e6 << QStringLiteral("2 s");
        QTest::newRow("close up in s") << 8.0e6 << 8.3e6 << QStringLiteral("8.1 s");
        QTest::newRow("min") << 0.0 << 600e6 << QStringLiteral("2:00 min");
        QTest::newRow("close up in min") << 600e6 << 630e6 << QStringLiteral("10:10 min");
    }

    void timesHaveTheUnitThatSuitsThem()
    {
        QFETCH(double, begin);
        QFETCH(double, end);
        QFETCH(QString, second);
        const auto ticks = axisTicks(projection::Axis::time, {begin, end}, 5);
        QVERIFY(ticks.size() >= 2);
        QCOMPARE(ticks[1].label, second);
    }

    void labelsNeverOverlapAndAreNeverCutOff()
    {
        LabelLayout layout(QRectF(0, 0, 100, 100));
        layout.block(QRectF(0, 50, 100, 2));
        const std::array<QPointF, 3> places{QPointF(95, 10), QPointF(40, 45), QPointF(40, 10)};
        // The first is cut off, the second lies on what is blocked.
        QCOMPARE(layout.place({20, 10}, places)->topLeft(), places[2]);
        QVERIFY(!layout.place({20, 10}, places).has_value());
        const auto& taken = layout.taken();
        for (std::size_t i = 0; i < taken.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                QVERIFY(!taken[i].intersects(taken[j]));
            }
        }
    }

    void aStateWithoutHistoryIsTheDumpAndNoStart()
    {
        const auto analysis = test::analysisOf("live w 40960\n");
        const projection::AxisMap axis(analysis.snapshot->devices[0], projection::Axis::event);
        QVERIFY(timelineMarks(analysis, 0, axis).peak->is_dump);
    }

    void marksTellThePeakAndWhatFailed()
    {
        const auto analysis = diagnosedAnalysisOf(smallRun());
        const projection::AxisMap axis(analysis.snapshot->devices[0], projection::Axis::event);
        const TimelineMarks marks = timelineMarks(analysis, 0, axis);
        QVERIFY(!marks.peak->is_dump);
        QVERIFY(marks.capacity == Bytes{3 * kGiB.value});
        QCOMPARE(marks.peak->value.value,
                 analysis.replay->devices[0].activeAt(analysis.replay->devices[0].peak).value);
        QCOMPARE(marks.ooms.size(), 1U);
        QCOMPARE(marks.ooms[0].requested.value, kGiB.value);
        QCOMPARE(marks.ooms[0].device_free.value().value, 512 * kMiB.value);
        OomMark failed = marks.ooms[0];
        failed.requested = {625 * kMiB.value};
        failed.device_free = Bytes{211 * kMiB.value};
        const Bytes top{7 * kGiB.value};
        QCOMPARE(oomWords(failed, 1, top), QString::fromUtf8("requested 0.61 GiB · free 0.21 GiB"));
        // They differ, and say so.
        failed.device_free = Bytes{624 * kMiB.value};
        QCOMPARE(oomWords(failed, 1, top), QString::fromUtf8("requested 625 MiB · free 624 MiB"));
        // Three digits each, in one unit.
        failed.requested = {2 * kGiB.value};
        failed.device_free = Bytes{153 * kGiB.value / 4};
        QCOMPARE(oomWords(failed, 1, top), QString::fromUtf8("requested 2.00 GiB · free 38.2 GiB"));
        // A capacity close by is drawn to scale, one far away does not squeeze the bands.
        projection::TimelineHeights heights{2 * kGiB.value, 2 * kGiB.value};
        QVERIFY(topBytes(heights, marks) > 3.0 * 1073741824);
        TimelineMarks large = marks;
        large.capacity = Bytes{80 * kGiB.value};
        QVERIFY(topBytes(heights, large) < 3.0 * 1073741824);
    }

    void aFigureIsPaintedWhole()
    {
        QImage image(900, 500, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::white);
        TimelineFigure figure;
        figure.analysis = diagnosedAnalysisOf(smallRun());
        TimelineStyle style;
        style.font.setPixelSize(11);
        QPainter painter(&image);
        paintFigure(painter, QRectF(0, 0, 900, 500), figure, style);
        painter.end();
        std::set<QRgb> colours;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                colours.insert(image.pixel(x, y));
            }
        }
        QVERIFY(colours.contains(themeColours(Theme::light).danger.rgb()));
        const auto& curves = figure.analysis.curves->devices[0];
        for (std::size_t i = 0; i < label::kBucketCount; ++i) {
            if (curves.largestOf(label::bucketAt(i)) > 0) {
                QVERIFY(colours.contains(bucketColour(label::bucketAt(i)).rgb()));
            }
        }
        QVERIFY(figureTopBytes(figure) > 0);
    }
};

TIDEMARK_TEST(TstPainting)

} // namespace tidemark::tst_painting

#include "tst_painting.moc"
