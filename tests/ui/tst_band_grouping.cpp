// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/band_grouping.h"
#include "ui/models/view_state.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"

#include <QtCore/QFile>
#include <QtCore/QPointer>
#include <QtCore/QTemporaryDir>
#include <QtGui/QImage>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QToolButton>

#include <map>
#include <memory>
#include <set>

namespace tidemark::tst_band_grouping {

using namespace tidemark::ui;

class TstBandGrouping : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<TimelineView> m_view;

    [[nodiscard]] QToolButton* legend(const char* name) const
    {
        return m_view->findChild<QToolButton*>(QStringLiteral("legend_") + QLatin1String(name));
    }
    void group(query::BandBy by)
    {
        m_view->grouper().setBy(by);
        QTRY_VERIFY(!m_view->grouper().isBusy());
        QCoreApplication::processEvents();
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_state = std::make_unique<ViewState>();
        m_view = std::make_unique<TimelineView>(*m_state);
        m_view->resize(900, 400);
        m_view->show();
        m_state->show(test::analysisOf(test::smallRun()), 0);
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
        UiTest::cleanup();
    }

    void bandsAreBucketsUntilSomebodyChooses()
    {
        QVERIFY(m_state->bandGrouping() == nullptr);
        QVERIFY(legend("parameter") != nullptr);
        auto* choice = m_view->findChild<QComboBox*>(QStringLiteral("bandChoice"));
        QVERIFY(choice != nullptr);
        QCOMPARE(choice->count(), static_cast<int>(query::kBandByCount));
        choice->setCurrentIndex(static_cast<int>(query::BandBy::size));
        Q_EMIT choice->activated(choice->currentIndex());
        QTRY_VERIFY(m_state->bandGrouping() != nullptr);
        QVERIFY(legend("parameter") == nullptr);
        QCOMPARE(legend("0")->text(), QStringLiteral("1 GiB and more"));
        group(query::BandBy::bucket);
        QVERIFY(m_state->bandGrouping() == nullptr);
        QVERIFY(legend("parameter") != nullptr);
        QCOMPARE(choice->currentIndex(), 0);
    }

    /// Their texts stand on one line.
    void whatStandsInARowOfTheLegendIsEquallyHigh()
    {
        auto* choice = m_view->findChild<QComboBox*>(QStringLiteral("bandChoice"));
        std::map<int, std::set<int>> heights; // By row.
        for (const QWidget* each : choice->parentWidget()->findChildren<QWidget*>(
                 QString(), Qt::FindDirectChildrenOnly)) {
            if (each->isVisible()) {
                heights[each->y()].insert(each->height());
            }
        }
        QVERIFY(!heights.empty());
        for (const auto& [y, of_row] : heights) {
            QCOMPARE(of_row.size(), 1UL);
        }
    }
    void theFormerLegendGoesWhenQtIsDoneWithIt()
    {
        const QPointer<QToolButton> former = legend("parameter");
        group(query::BandBy::size);
        m_state->setBandGrouping(nullptr);
        const QPointer<QToolButton> now = legend("parameter");
        QVERIFY(!now.isNull() && now != former);
        m_state->show(test::analysisOf("live w 1M\n"), 0); // It may be just being shown.
        QVERIFY(!now.isNull() && !now->isVisible());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(now.isNull());
    }

    void groupsAddUpToTheTotal()
    {
        for (std::size_t i = 1; i < query::kBandByCount; ++i) {
            group(static_cast<query::BandBy>(i));
            const replay::DeviceReplay& replay = m_state->replay();
            for (std::size_t s = 0; s < replay.stateCount(); ++s) {
                const StateId state{static_cast<std::uint32_t>(s)};
                std::int64_t sum = 0;
                for (const std::int64_t bytes : m_state->bandCurves().at(state)) {
                    sum += bytes;
                }
                QCOMPARE(sum, replay.activeAt(state).value);
            }
        }
    }

    void theLegendShowsAndHidesGroups()
    {
        group(query::BandBy::size);
        const std::uint32_t buckets = m_state->visibleBuckets();
        legend("0")->click();
        QVERIFY(!label::isIn(m_state->visibleBands(), label::bucketAt(0)));
        QCOMPARE(m_state->visibleBuckets(), buckets); // Those are another matter.
        QCOMPARE(m_view->plot().scene().style().visible, m_state->visibleBands());
        m_view->findChild<QToolButton*>(QStringLiteral("showAllBuckets"))->click();
        QVERIFY(label::isIn(m_state->visibleBands(), label::bucketAt(0)));
        QTest::mouseClick(legend("1"), Qt::LeftButton, Qt::AltModifier);
        QCOMPARE(m_state->visibleBands(), 2U);
    }

    void anotherFileIsGroupedToo()
    {
        group(query::BandBy::stack);
        const auto former = m_state->bandGrouping();
        m_state->show(test::analysisOf(std::string("live x 7M\n") + std::string(test::smallRun())),
                      0);
        QVERIFY(m_state->bandGrouping() != former);
        QTRY_VERIFY(m_state->bandGrouping() != nullptr);
        QCOMPARE(m_state->bandGrouping()->bands.of.size(), m_state->replay().allocations.count());
        m_state->clear();
        QVERIFY(m_state->bandGrouping() == nullptr && !m_view->grouper().isBusy());
    }

    void picturesHaveTheColoursAndTheLegendOfTheGroups()
    {
        group(query::BandBy::stack);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("t.svg"));
        QVERIFY(m_view->plot().exportTo(path).has_value());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray picture = file.readAll();
        const auto& style = m_view->plot().scene().style();
        QVERIFY(picture.contains(style.bands[0].name().toLatin1()));
        const qsizetype bucket =
            picture.indexOf(bucketColour(label::Bucket::parameter).name().toLatin1());
        QVERIFY2(bucket < 0, picture.mid(bucket - 200, 400).constData());
        QVERIFY(picture.contains(">forward") || picture.contains("model.py:10 forward"));
        const QString png = folder.filePath(QStringLiteral("t.png"));
        QVERIFY(m_view->plot().exportTo(png).has_value());
        const QImage image(png);
        QVERIFY(image.height() > 2 * m_view->plot().height()); // The legend stands above it.
        QCOMPARE(image.width(), 2 * m_view->plot().width());
    }
};

TIDEMARK_TEST(TstBandGrouping)

} // namespace tidemark::tst_band_grouping

#include "tst_band_grouping.moc"
