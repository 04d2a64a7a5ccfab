// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/text.h"
#include "ui/views/timeline/layers_painter.h"
#include "ui/views/timeline/layers_refiner.h"
#include "ui/views/timeline/timeline_pixels.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_scene.h"
#include "ui/views/timeline/timeline_view.h"

#include <fmt/format.h>

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QToolButton>

#include <memory>
#include <random>
#include <set>

namespace tidemark::tst_layers {

using namespace tidemark::ui;
using tidemark::test::analysisOf;

namespace {

/// Large and tiny allocations that come and go.
std::string crowd()
{
    std::mt19937 random(5);
    std::string text = "stack fwd = forward /home/me/model.py:10\nlive w 300K\nlive v 2M\n";
    std::vector<int> live;
    for (int i = 0; i < 500; ++i) {
        if (live.size() < 4 || (live.size() < 60 && random() % 5 < 3)) {
            const std::size_t size = random() % 3 == 0 ? random() % 400000 : random() % 2000;
            text += fmt::format("n{} +{} @fwd\n", i, size + 1);
            live.push_back(i);
        } else {
            const std::size_t k = random() % live.size();
            text += fmt::format("n{} -\n", live[k]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
    return text;
}

QImage pictureOf(TimelineScene& scene)
{
    return scene.bands().copy();
}

} // namespace

class TstLayers : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<TimelineView> m_view;

    [[nodiscard]] TimelinePlot& plot() const
    {
        return m_view->plot();
    }
    [[nodiscard]] const projection::TimelineColumn& columnAt(const QPoint& at) const
    {
        return *plot().scene().columnAt(at.x());
    }
    /// A place where an allocation of the column in the middle lies.
    [[nodiscard]] QPoint placeOf(AllocationId allocation, StateId state) const
    {
        const QRect bands = plot().bandRect();
        std::int64_t level = 0;
        for (const AllocationId a : replay::livingAt(m_state->replay(), state)) {
            const std::int64_t size = m_state->replay().allocations.requested[a.index()].value;
            if (a == allocation) {
                const double middle = static_cast<double>(level) + static_cast<double>(size) / 2;
                return {bands.center().x(), static_cast<int>(plot().yAxis->coordToPixel(middle))};
            }
            level += size;
        }
        return {};
    }
    [[nodiscard]] AllocationId largestAt(StateId state) const
    {
        return replay::liveAt(m_state->replay(), state).front();
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_state = std::make_unique<ViewState>();
        m_view = std::make_unique<TimelineView>(*m_state);
        m_state->show(analysisOf(crowd()), 0);
        m_state->setTimelineMode(TimelineMode::allocations);
        m_view->resize(900, 500);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        QTRY_VERIFY(plot().bandRect().width() > 600);
        QTRY_VERIFY(plot().scene().layers().columns.size() > 600);
    }

    void everyPixelHasTheColourOfItsRecord()
    {
        TimelineScene scene(*m_state);
        scene.prepare(QRect(0, 0, 333, 211), m_state->range(), {0, 5e6}, 1.0);
        const QImage image = pictureOf(scene);
        QCOMPARE(image.size(), QSize(333, 211));
        const LayerColours colours{TimelineStyle()};
        std::size_t wrong = 0;
        std::set<QRgb> seen;
        forEachColumn(
            scene.layers(),
            [&](std::size_t x, std::span<const projection::LayerRecord> records, std::size_t) {
                std::uint32_t px = 0;
                for (const projection::LayerRecord& record : records) {
                    const bool has_edge = record.top_px - px >= 4;
                    for (; px < record.top_px; ++px) {
                        const QRgb expected = has_edge && px + 1 == record.top_px
                            ? colours.edgeOf(record)
                            : colours.of(record);
                        const QRgb found =
                            image.pixel(static_cast<int>(x), 210 - static_cast<int>(px));
                        wrong += found == expected ? 0U : 1U;
                        seen.insert(found);
                    }
                }
            });
        QCOMPARE(wrong, 0U);
        QVERIFY(seen.size() > 5);
    }

    void aboveThePictureIsThatOfTheBands()
    {
        TimelineScene scene(*m_state);
        const QRect rect(0, 0, 200, 150);
        scene.prepare(rect, m_state->range(), {0, 1e7}, 1.0);
        const QImage layers = pictureOf(scene);
        const auto projection = scene.projection();
        m_state->setTimelineMode(TimelineMode::bands);
        scene.prepare(rect, m_state->range(), {0, 1e7}, 1.0);
        const QImage bands = pictureOf(scene);
        QVERIFY(scene.layers().columns.empty());
        int compared = 0;
        for (int x = 0; x < 200; ++x) {
            const std::int64_t total = projection.columns[static_cast<std::size_t>(x)].total;
            const int rows = 150 - static_cast<int>(static_cast<double>(total) / 1e7 * 150 + 0.5);
            for (int y = 0; y < rows; ++y) {
                QCOMPARE(layers.pixel(x, y), bands.pixel(x, y));
                ++compared;
            }
            QVERIFY(layers.pixel(x, rows) != scene.style().colours.card.rgb());
        }
        QVERIFY(compared > 1000);
    }

    void rectanglesCoverWhatPixelsCover()
    {
        TimelineScene scene(*m_state);
        TimelineStyle style;
        style.cached = false;
        scene.setStyle(style);
        scene.prepare(QRect(0, 0, 150, 90), m_state->range(), {0, 5e6}, 1.0);
        QImage image(150, 90, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        paintLayers(painter, scene.scale(), scene.projection(), scene.layers(), style);
        painter.end();
        const LayerColours colours{TimelineStyle()};
        std::size_t wrong = 0;
        forEachColumn(
            scene.layers(),
            [&](std::size_t x, std::span<const projection::LayerRecord> records, std::size_t) {
                std::uint32_t px = 0;
                for (const projection::LayerRecord& record : records) {
                    for (; px < record.top_px; ++px) {
                        const QPoint at(static_cast<int>(x), 89 - static_cast<int>(px));
                        wrong += image.pixel(at) == colours.of(record) ? 0U : 1U;
                    }
                }
                for (; px < 90; ++px) {
                    wrong +=
                        qAlpha(image.pixel(static_cast<int>(x), 89 - static_cast<int>(px))) == 0
                        ? 0U
                        : 1U;
                }
            });
        QCOMPARE(wrong, 0U);
    }

    void nothingOfTheOldDeviceIsPointedAt()
    {
        QVERIFY(plot().scene().columnAt(plot().bandRect().center().x()) != nullptr);
        m_state->show(analysisOf("live w 1M\n"), 0);
        QVERIFY(plot().scene().columnAt(plot().bandRect().center().x()) == nullptr);
        QVERIFY(plot().scene().layers().columns.empty());
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, plot().bandRect().center());
        QVERIFY(m_state->selected().isNone());
        QTRY_VERIFY(plot().scene().columnAt(plot().bandRect().center().x()) != nullptr);
    }

    void aClickOnAnAllocationAsksForItsStack()
    {
        QSignalSpy asked(&plot(), &TimelinePlot::stackRequested);
        const StateId state = columnAt(plot().bandRect().center()).state;
        const QPoint at = placeOf(largestAt(state), state);
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, at);
        QCOMPARE(m_state->selected(), largestAt(state));
        QCOMPARE(asked.count(), 1);
        QTest::mouseClick(&plot(), Qt::LeftButton, {},
                          {at.x(), plot().bandRect().top() + 2}); // Over all of them.
        QVERIFY(m_state->selected().isNone());
        QCOMPARE(asked.count(), 1);
    }

    void theAllocationUnderTheMouseIsNamedExactly()
    {
        const StateId state = columnAt(plot().bandRect().center()).state;
        const AllocationId largest = largestAt(state);
        const QString words = allocationWords(*m_state, largest);
        const auto bytes = m_state->replay().allocations.requested[largest.index()];
        QVERIFY2(words.contains(text(formatExactBytes(bytes))), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("event")) || words.contains(QStringLiteral("trace")),
                 qPrintable(words));
        for (const AllocationId a : replay::livingAt(m_state->replay(), state)) {
            if (a.index() > 1) {
                QVERIFY(allocationWords(*m_state, a).contains(QStringLiteral("model.py:10")));
            }
        }
    }

    void aClickSelectsTheAllocationAndItsState()
    {
        const StateId state = columnAt(plot().bandRect().center()).state;
        const AllocationId largest = largestAt(state);
        const QPoint at = placeOf(largest, state);
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, at);
        QCOMPARE(m_state->selected().value, largest.value);
        QCOMPARE(m_state->cursor().value, state.value);
        QTRY_VERIFY(std::ranges::any_of(plot().scene().layers().columns, [](const auto& column) {
            return !column.selected.isEmpty();
        }));
        const QRect bands = plot().bandRect();
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, QPoint(at.x(), bands.top() + 1));
        QVERIFY(m_state->selected().isNone()); // There is nothing up there.
    }

    void aCoarsePictureBecomesFine()
    {
        TimelineScene scene(*m_state, 500);
        const QRect rect(0, 0, 300, 100);
        int refined = 0;
        scene.onRefined([&] { ++refined; });
        scene.prepare(rect, m_state->range(), {0, 5e6}, 1.0, TimelineScene::Detail::coarse_first);
        QVERIFY(scene.layers().stride > 1);
        (void)scene.bands();
        QTRY_COMPARE(refined, 1);
        QCOMPARE(scene.layers().stride, 1);
        scene.prepare(rect, m_state->range(), {0, 5e6}, 1.0, TimelineScene::Detail::coarse_first);
        QCOMPARE(scene.layers().stride, 1); // Nothing changed: it stays.
        const QImage fine = pictureOf(scene);
        TimelineScene whole(*m_state);
        whole.prepare(rect, m_state->range(), {0, 5e6}, 1.0);
        QCOMPARE(fine, pictureOf(whole));
    }

    void aRequestThatWasCancelledDeliversNothing()
    {
        LayersRefiner refiner;
        const QSignalSpy ready(&refiner, &LayersRefiner::ready);
        const auto timeline = projection::projectTimeline(m_state->curves(), m_state->axisMap(),
                                                          m_state->range(), 100);
        const projection::LayersRequest request{50, 5e6, kAllBuckets, {}, 1};
        refiner.request(m_state->analysis(), 0, timeline, request);
        refiner.cancel();
        refiner.request(m_state->analysis(), 0, timeline, request);
        QTRY_COMPARE(ready.count(), 1);
        QCoreApplication::processEvents();
        QCOMPARE(ready.count(), 1);
    }

    void theLegendSwitchesTheMode()
    {
        auto* button = m_view->findChild<QToolButton*>(QStringLiteral("singleAllocations"));
        QVERIFY(button != nullptr && button->isChecked());
        button->click();
        QVERIFY(m_state->timelineMode() == TimelineMode::bands);
        QTRY_VERIFY(plot().scene().layers().columns.empty());
        m_state->setTimelineMode(TimelineMode::allocations);
        QVERIFY(button->isChecked());
    }

    void vectorFilesArePaleWhereTheScreenIs()
    {
        QTRY_VERIFY(!plot().scene().layers().records.empty());
        std::vector<AllocationId> some;
        for (const projection::LayerRecord& record : plot().scene().layers().records) {
            if (record.largest.index() % 3 == 0) {
                some.push_back(record.largest);
            }
        }
        m_state->selector().select(Selection::From::frame, QStringLiteral("x"), some);
        QTRY_VERIFY(m_state->selector().selection() != nullptr);
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("layers.svg"));
        QVERIFY(plot().exportTo(path).has_value());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray svg = file.readAll();
        const TimelineStyle& style = plot().scene().style();
        const LayerColours full(style);
        const LayerColours pale(paleStyle(style));
        const auto names = [&](QRgb colour) {
            return svg.contains(QByteArray(QColor(colour).name().toLatin1()));
        };
        const Selection& selection = *m_state->selector().selection();
        int in = 0;
        int out = 0;
        for (const projection::LayerRecord& record : plot().scene().layers().records) {
            const bool is_in = selection.has(record.largest);
            (is_in ? in : out) += names((is_in ? full : pale).of(record)) ? 1 : 0;
        }
        QVERIFY2(in > 5 && out > 5, qPrintable(QStringLiteral("%1 %2").arg(in).arg(out)));
    }

    void vectorFilesHoldAllAllocations()
    {
        const QTemporaryDir dir;
        for (const QString& ending : {QStringLiteral("svg"), QStringLiteral("pdf")}) {
            const QString path = dir.filePath(QStringLiteral("layers.") + ending);
            QVERIFY(plot().exportTo(path).has_value());
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY(file.size() > 10'000 && file.size() < 4'000'000);
        }
    }
};

TIDEMARK_TEST(TstLayers)

} // namespace tidemark::tst_layers

#include "tst_layers.moc"
