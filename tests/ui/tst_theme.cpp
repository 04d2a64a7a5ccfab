// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/bands.h"
#include "tests/support/test_main.h"
#include "tests/ui/compared_page.h"
#include "tests/ui/made_job.h"
#include "tests/ui/opened_window.h"
#include "ui/models/roles.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/job/job_page.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/swatch.h"
#include "ui/views/look/theme.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QPointer>
#include <QtGui/QImage>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStyle>
#include <QtWidgets/QTableView>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace tidemark::tst_theme {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

/// WCAG 2.1, relative luminance.
double luminance(const QColor& colour)
{
    const auto part = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(double(colour.redF())) + 0.7152 * part(double(colour.greenF()))
        + 0.0722 * part(double(colour.blueF()));
}

double contrast(const QColor& a, const QColor& b)
{
    const double one = luminance(a);
    const double two = luminance(b);
    return (std::max(one, two) + 0.05) / (std::min(one, two) + 0.05);
}

QColor over(const QColor& above, const QColor& below)
{
    const float share = above.alphaF();
    const auto part = [share](float a, float b) { return a * share + b * (1 - share); };
    return QColor::fromRgbF(part(above.redF(), below.redF()), part(above.greenF(), below.greenF()),
                            part(above.blueF(), below.blueF()));
}

/// Waits until nothing is being computed and two pictures are the same. Lists show their current
/// row: how far one was scrolled is not of the theme.
QImage picture(Opened& opened)
{
    Opened::settle();
    for (QAbstractItemView* list : opened.window.findChildren<QAbstractItemView*>()) {
        if (list->isVisible() && list->currentIndex().isValid()) {
            list->scrollTo(list->currentIndex(), QAbstractItemView::PositionAtCenter);
        }
    }
    auto* page = opened.window.findChild<AnalysisPage*>();
    QImage last;
    for (int i = 0; i < 100; ++i) {
        Opened::settle();
        QTest::qWait(20);
        const QImage now = opened.window.grab().toImage();
        if ((page == nullptr || !page->isBusy()) && now == last) {
            return now;
        }
        last = now;
    }
    return last;
}

/// The picture of a widget by itself, once it stays the same.
QImage still(QWidget& widget, const std::function<bool()>& isBusy = {})
{
    QImage last;
    for (int i = 0, same = 0; i < 120 && same < 2; ++i) {
        Opened::settle();
        QTest::qWait(50);
        const QImage now = widget.grab().toImage();
        same = now == last && !(isBusy && isBusy()) ? same + 1 : 0;
        last = now;
    }
    return last;
}

using Pictures = std::map<QString, QImage>;

/// Of each tab of a comparison, the first of them once more when all were visited.
Pictures picturesOf(test::ComparedPage& shown)
{
    Pictures pictures;
    for (const QString& tab : CompareTables::tabNames()) {
        if (shown.page.tables().showTab(tab)) {
            pictures[tab] = still(shown.page, [&] { return shown.page.isBusy(); });
        }
    }
    return pictures;
}

/// The first pixel of those that differ, and how many there are.
QString difference(const QImage& one, const QImage& second, const QWidget& window)
{
    QRect where;
    int count = 0;
    for (int y = 0; y < one.height(); ++y) {
        for (int x = 0; x < one.width(); ++x) {
            if (one.pixel(x, y) != second.pixel(x, y)) {
                where |= QRect(x, y, 1, 1);
                ++count;
            }
        }
    }
    const double ratio = one.devicePixelRatio();
    const QWidget* at = window.childAt((QPointF(where.topLeft()) / ratio).toPoint());
    return QStringLiteral("%1 pixels in %2,%3 %4x%5, at '%6'")
        .arg(count)
        .arg(where.x())
        .arg(where.y())
        .arg(where.width())
        .arg(where.height())
        .arg(at == nullptr ? QString() : at->objectName());
}

Theme other(Theme theme)
{
    return theme == Theme::light ? Theme::dark : Theme::light;
}

QStringList views()
{
    QStringList names = MainWindow::viewNames();
    for (const char* other_page : {"compare", "job", "timeline", "run"}) {
        names.removeAll(QString::fromLatin1(other_page));
    }
    return names;
}

} // namespace

class TstTheme : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void cleanup()
    {
        applyTheme(*qApp, Theme::light);
        UiTest::cleanup();
    }

    void aSwitchLeavesNothingBehind_data()
    {
        QTest::addColumn<int>("theme");
        QTest::newRow("dark") << int(Theme::dark);
        QTest::newRow("light") << int(Theme::light);
    }
    void aSwitchLeavesNothingBehind()
    {
        QFETCH(int, theme);
        const auto wanted = static_cast<Theme>(theme);
        std::map<QString, QImage> started;
        {
            applyTheme(*qApp, wanted);
            Opened opened({1280, 860});
            visitAll(opened);
            for (const QString& view : views()) {
                QVERIFY2(opened.window.showView(view, false), qPrintable(view));
                started[view] = picture(opened);
            }
        }
        applyTheme(*qApp, other(wanted));
        Opened opened({1280, 860});
        visitAll(opened);
        applyTheme(*qApp, wanted);
        QStringList left;
        for (const QString& view : views()) {
            QVERIFY2(opened.window.showView(view, false), qPrintable(view));
            const QImage switched = picture(opened);
            if (switched != started[view]) {
                left << QString(view % QStringLiteral(": ")
                                % difference(started[view], switched, opened.window));
            }
        }
        QVERIFY2(left.isEmpty(), qPrintable(left.join(u'\n')));
    }

    void aSwitchLeavesNothingBehindInAComparison_data()
    {
        aSwitchLeavesNothingBehind_data();
    }
    void aSwitchLeavesNothingBehindInAComparison()
    {
        QFETCH(int, theme);
        const auto wanted = static_cast<Theme>(theme);
        const auto begin = [](test::ComparedPage& shown) {
            shown.compare();
            QTableView& places = *shown.child<QTableView>("comparePlaces");
            places.setCurrentIndex(places.model()->index(0, 1)); // Its stacks, its bytes.
        };
        Pictures started;
        {
            applyTheme(*qApp, wanted);
            test::ComparedPage shown;
            begin(shown);
            started = picturesOf(shown);
        }
        QVERIFY(started.size() > 5);
        applyTheme(*qApp, other(wanted));
        test::ComparedPage shown;
        begin(shown);
        picturesOf(shown); // All were there before the switch.
        applyTheme(*qApp, wanted);
        QStringList left;
        for (const auto& [tab, image] : picturesOf(shown)) {
            if (image != started[tab]) {
                left << QString(tab % QStringLiteral(": ")
                                % difference(started[tab], image, shown.page));
            }
        }
        QVERIFY2(left.isEmpty(), qPrintable(left.join(u'\n')));
    }

    void aSwitchLeavesNothingBehindOnTheJobsPage_data()
    {
        aSwitchLeavesNothingBehind_data();
    }
    void aSwitchLeavesNothingBehindOnTheJobsPage()
    {
        QFETCH(int, theme);
        const auto wanted = static_cast<Theme>(theme);
        const auto begin = [](JobPage& page, std::uint32_t ranks) {
            page.resize(1280, 860);
            page.show();
            page.setJob(test::sharedJob(ranks));
            page.setReading(0.5, 5);
            page.bands().select(ranks - 1);
        };
        for (const std::uint32_t ranks : {4U, 96U}) { // In columns, and as a map of colours.
            applyTheme(*qApp, wanted);
            QImage started;
            {
                JobPage page;
                begin(page, ranks);
                started = still(page);
            }
            applyTheme(*qApp, other(wanted));
            JobPage page;
            begin(page, ranks);
            still(page);
            applyTheme(*qApp, wanted);
            const QImage switched = still(page);
            QVERIFY2(switched == started, qPrintable(difference(started, switched, page)));
        }
    }

    void aSwitchLeavesNothingBehindInDialogs_data()
    {
        aSwitchLeavesNothingBehind_data();
    }
    void aSwitchLeavesNothingBehindInDialogs()
    {
        QFETCH(int, theme);
        const auto wanted = static_cast<Theme>(theme);
        QApplication::setCursorFlashTime(0);
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        QStringList left;
        for (const QString& name : MainWindow::dialogNames()) {
            applyTheme(*qApp, wanted);
            QPointer<QWidget> dialog = opened.window.openDialog(name);
            QVERIFY2(dialog != nullptr, qPrintable(name));
            const auto is_busy = [&] { return dialog->property("busy").toBool(); };
            const QImage started = still(*dialog, is_busy);
            dialog->close();
            Opened::settle();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            applyTheme(*qApp, other(wanted));
            dialog = opened.window.openDialog(name);
            still(*dialog, is_busy);
            applyTheme(*qApp, wanted);
            const QImage switched = still(*dialog, is_busy);
            if (switched != started) {
                left << QString(name % QStringLiteral(": ")
                                % difference(started, switched, *dialog));
            }
            dialog->close();
            Opened::settle();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        QVERIFY2(left.isEmpty(), qPrintable(left.join(u'\n')));
    }

    /// Qt does so once for each of its ancestors where one style sheet replaces another.
    void aSwitchPolishesNoWidgetAgainAndAgain()
    {
        struct Counter : QObject {
            std::map<const QObject*, int> times; // Of which some live no longer.
            bool eventFilter(QObject* watched, QEvent* event) override
            {
                if (watched->isWidgetType() && event->type() == QEvent::StyleChange) {
                    ++times[watched];
                }
                return false;
            }
        };
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        Counter counter;
        qApp->installEventFilter(&counter);
        applyTheme(*qApp, Theme::dark);
        qApp->removeEventFilter(&counter);
        QVERIFY(counter.times.size() > 100);
        int most = 0;
        for (const auto& counted : counter.times) {
            most = std::max(most, counted.second);
        }
        QVERIFY2(most <= 3, qPrintable(QString::number(most)));
        applyTheme(*qApp, Theme::light);
    }

    /// What is painted on bands, phases, groups and runs.
    void aSwatchHasItsColourInASelectedRow()
    {
        const QIcon icon = bucketIcon(label::Bucket::activation);
        const QImage selected = icon.pixmap({10, 10}, 1.0, QIcon::Selected).toImage();
        QCOMPARE(selected.pixelColor(5, 5), bucketColour(label::Bucket::activation));
    }
    void aButtonThatCannotBePressedLooksSo()
    {
        applyTheme(*qApp, Theme::light);
        QPushButton button(QStringLiteral("Relabel"));
        button.setProperty("primary", true);
        button.resize(120, 40);
        const auto fill = [&] { return button.grab().toImage().pixelColor(60, 6); };
        QCOMPARE(fill(), currentColours().accent);
        button.setEnabled(false);
        QVERIFY(fill() != currentColours().accent);
    }
    void noButtonOfADialogHasAPicture()
    {
        QDialogButtonBox box(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
        QCOMPARE(box.style()->styleHint(QStyle::SH_DialogButtonBox_ButtonsHaveIcons), 0);
        for (const QAbstractButton* button : box.buttons()) {
            QVERIFY(button->icon().isNull());
        }
    }
    void everyFillHasAColourOfText()
    {
        std::vector<QColor> fills;
        for (const label::BucketInfo& bucket : label::kBuckets) {
            fills.push_back(bucketColour(bucket.bucket));
        }
        for (std::size_t phase = 0; phase < label::kPhases.size(); ++phase) {
            fills.push_back(phaseColour(static_cast<label::Phase>(phase)));
        }
        for (int group = 0; group < int(query::kMostBands); ++group) {
            fills.push_back(groupColour(group));
        }
        for (const char letter : {'A', 'B', 'C', 'D', 'E', 'F', 'G'}) {
            fills.push_back(runColour(QString(QLatin1Char(letter))));
        }
        for (const QColor& fill : fills) {
            QVERIFY2(contrast(textOn(fill), fill) >= 4.5, qPrintable(fill.name()));
        }
    }

    void everyTextCanBeRead_data()
    {
        aSwitchLeavesNothingBehind_data();
    }
    void everyTextCanBeRead()
    {
        QFETCH(int, theme);
        applyTheme(*qApp, static_cast<Theme>(theme));
        const ThemeColours& colours = themeColours(static_cast<Theme>(theme));
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        int texts = 0;
        const auto check = [&](const QColor& text, const QColor& ground, const QString& what) {
            const double found = contrast(over(text, ground), ground);
            QVERIFY2(found >= 4.5,
                     qPrintable(what % QStringLiteral(": ") % QString::number(found) % u' '
                                % text.name(QColor::HexArgb) % QStringLiteral(" on ")
                                % ground.name()));
            ++texts;
        };
        for (const QString& view : views()) {
            QVERIFY(opened.window.showView(view, false));
            picture(opened);
            for (QWidget* widget : opened.window.findChildren<QWidget*>()) {
                if (!widget->isVisible()) {
                    continue;
                }
                const QPalette palette = widget->palette();
                const QString name = view % u' ' % widget->objectName();
                if (qobject_cast<QLabel*>(widget) != nullptr) {
                    check(palette.color(widget->foregroundRole()), colours.card, name);
                    check(palette.color(widget->foregroundRole()), colours.window, name);
                } else if (qobject_cast<QLineEdit*>(widget) != nullptr) {
                    check(palette.color(QPalette::Text), colours.window, name);
                    check(palette.color(QPalette::PlaceholderText), colours.window, name);
                } else if (auto* table = qobject_cast<QAbstractItemView*>(widget)) {
                    checkCells(*table, colours, name, check);
                }
            }
        }
        QVERIFY(texts > 500);
        for (const QColor& text : {colours.text, colours.secondary, colours.link, colours.good,
                                   colours.help, colours.faint}) {
            check(text, colours.card, QStringLiteral("card"));
            check(text, colours.window, QStringLiteral("window"));
        }
        for (const QColor& text :
             {colours.text, colours.secondary, colours.link, colours.good, colours.help}) {
            check(text, colours.hover, QStringLiteral("hover"));
            check(text, colours.selection, QStringLiteral("selection"));
        }
        check(colours.danger_text, colours.card, QStringLiteral("danger"));
        check(colours.danger_text, colours.window, QStringLiteral("danger"));
        check(colours.accent_text, colours.accent, QStringLiteral("accent"));
        check(colours.accent_text, colours.danger, QStringLiteral("flag"));
        check(colours.card, colours.good, QStringLiteral("pill"));
    }

private:
    /// What is chosen on the way is the same in every window.
    static void visitAll(Opened& opened)
    {
        opened.show();
        opened.open({examplePath()});
        for (const QString& view : views()) {
            QVERIFY2(opened.window.showView(view, false), qPrintable(view));
            picture(opened);
        }
    }

    /// As the delegate is going to paint them, of the first rows.
    template <class Check>
    static void checkCells(QAbstractItemView& view, const ThemeColours& colours,
                           const QString& name, const Check& check)
    {
        struct Opener : ItemDelegate {
            using ItemDelegate::initStyleOption;
        };
        const QAbstractItemModel* const model = view.model();
        const auto* delegate = qobject_cast<ItemDelegate*>(view.itemDelegate());
        if (model == nullptr || delegate == nullptr) {
            return;
        }
        for (int row = 0; row < std::min(12, model->rowCount()); ++row) {
            for (int column = 0; column < model->columnCount(); ++column) {
                QStyleOptionViewItem option;
                option.initFrom(&view);
                option.widget = &view;
                (delegate->*(&Opener::initStyleOption))(&option, model->index(row, column));
                check(option.palette.color(QPalette::Text), colours.card, name);
                check(option.palette.color(QPalette::HighlightedText), colours.selection, name);
            }
        }
    }
};

TIDEMARK_TEST(TstTheme)

} // namespace tidemark::tst_theme

#include "tst_theme.moc"
