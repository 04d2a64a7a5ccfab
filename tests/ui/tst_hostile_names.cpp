// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/main_window.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QHelpEvent>
#include <QtGui/QTextDocument>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QToolTip>

#include <array>
#include <memory>

namespace tidemark::tst_hostile_names {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000;

/// Notices when a file is opened, by whomever.
class Watch {
public:
    explicit Watch(const QString& file)
        : m_fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC))
    {
        ::inotify_add_watch(m_fd, QFile::encodeName(file).constData(), IN_OPEN);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch()
    {
        ::close(m_fd);
    }
    /// Since the last call.
    [[nodiscard]] bool wasOpened() const
    {
        std::array<char, 4096> events{};
        return ::read(m_fd, events.data(), events.size()) > 0;
    }

private:
    int m_fd;
};

} // namespace

/// Every name of a snapshot is mark-up that would load a file; or so long that laying it out takes
/// seconds.
class TstHostileNames : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_bait;
    QString m_name;
    std::unique_ptr<Watch> m_watch;
    std::unique_ptr<Preferences> m_preferences;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<MainWindow> m_window;

    /// A run with an annotation, that dies. Quotes and all in JSON.
    [[nodiscard]] QByteArray snapshot() const
    {
        QString name = m_name;
        name.replace(u'"', QStringLiteral("\\\""));
        const QString frames =
            QStringLiteral(R"("frames":[{"name":"%1","filename":"/home/me/%1.py","line":1}])")
                .arg(name);
        const QString event =
            QStringLiteral(R"({"action":"%1","%2":%3,"size":%4,"stream":0,"time_us":%5,%6})");
        QStringList events;
        for (int i = 0; i < 8; ++i) {
            events << event.arg(QStringLiteral("alloc"), QStringLiteral("addr"))
                          .arg(0x7f0000000000 + i * 0x4000000LL)
                          .arg(0x4000000)
                          .arg(1'700'000'000'000'000 + i * 1000)
                          .arg(frames);
        }
        events << event.arg(QStringLiteral("oom"), QStringLiteral("device_free"))
                      .arg(0)
                      .arg(0x4000000)
                      .arg(1'700'000'000'009'000)
                      .arg(frames);
        const QString annotation =
            QStringLiteral(R"({"stage":"%1","name":"%2","device":0,"time_us":%3})");
        return QStringLiteral(R"({"segments":[],"device_traces":[[%1]],)"
                              R"("external_annotations":[%2,%3]})")
            .arg(events.join(u','),
                 annotation.arg(QStringLiteral("START"), name).arg(1'700'000'000'001'000),
                 annotation.arg(QStringLiteral("END"), name).arg(1'700'000'000'008'000))
            .toUtf8();
    }
    void hover(QWidget& widget, const QPoint& at)
    {
        QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
        QCoreApplication::sendEvent(&widget, &help);
        QCoreApplication::processEvents();
        ++m_hovered;
        if (QToolTip::isVisible() && QToolTip::text().contains(m_name)) {
            ++m_told;
        }
    }
    void open(const QString& path)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(snapshot()) > 0);
        file.close();
        m_window->openFiles({path});
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        QVERIFY(m_session->failures().empty());
        QTRY_VERIFY(m_window->viewState().hasDevice());
    }
    int m_hovered = 0;
    int m_told = 0; ///< Tool tips that show the name.

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_folder = std::make_unique<QTemporaryDir>();
        m_bait = m_folder->filePath(QStringLiteral("bait.png"));
        QPixmap picture(8, 8);
        picture.fill(Qt::red);
        QVERIFY(picture.save(m_bait, "PNG"));
        m_name = QStringLiteral("<img src=\"file://%1\">").arg(m_bait);
        m_watch = std::make_unique<Watch>(m_bait);
        m_preferences = std::make_unique<Preferences>();
        m_session = std::make_unique<Session>();
        m_window = std::make_unique<MainWindow>(*m_session, *m_preferences, WindowServices{});
        m_window->resize(1400, 850);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup()
    {
        QToolTip::hideText();
        m_window.reset();
        m_session.reset();
        UiTest::cleanup();
    }

    void richTextWouldLoadTheFile()
    {
        QVERIFY(!m_watch->wasOpened());
        QTextDocument document;
        document.setHtml(m_name);
        QVERIFY(document.size().isValid());
        QVERIFY(m_watch->wasOpened());
    }

    void neitherLabelsNorToolTipsLoadIt()
    {
        for (const bool is_set_later : {false, true}) {
            QLabel label(is_set_later ? QString() : m_name);
            label.show();
            label.setText(m_name);
            QVERIFY(QTest::qWaitForWindowExposed(&label));
            label.setToolTip(m_name);
            hover(label, {1, 1});
            QVERIFY(QToolTip::isVisible());
        }
        QToolTip::showText({5, 5}, m_name);
        QToolTip::showText({50, 50}, m_name + u'2'); // The same label once more.
        QCoreApplication::processEvents();
        QVERIFY(!m_watch->wasOpened());
    }

    void nothingInTheWindowLoadsIt()
    {
        // In the path, too, where its slashes are folders.
        const QString path = m_folder->path() + u'/' + m_name + QStringLiteral(" <b>run.json");
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        open(path);
        m_told = 0;
        for (const QString& view : MainWindow::viewNames()) {
            if (!m_window->showView(view, false)) {
                continue;
            }
            QCoreApplication::processEvents();
            for (QWidget* widget : m_window->findChildren<QWidget*>()) {
                if (!widget->isVisible() || widget->size().isEmpty()) {
                    continue;
                }
                hover(*widget, widget->rect().center());
                auto* items = qobject_cast<QAbstractItemView*>(widget);
                if (items == nullptr || items->model() == nullptr) {
                    continue;
                }
                for (int row = 0; row < std::min(items->model()->rowCount(), 20); ++row) {
                    for (int column = 0; column < items->model()->columnCount(); ++column) {
                        const QRect cell = items->visualRect(items->model()->index(row, column));
                        if (cell.isValid()) {
                            hover(*items->viewport(), cell.center());
                        }
                    }
                }
            }
        }
        QVERIFY(m_hovered > 100);
        QVERIFY2(m_told > 3, qPrintable(QString::number(m_told)));
        for (const QLabel* label : m_window->findChildren<QLabel*>()) {
            QVERIFY2(!label->isVisible() || label->textFormat() != Qt::AutoText,
                     qPrintable(label->objectName()));
        }
        QVERIFY(!m_watch->wasOpened());
    }

    void noViewLaysOutAllOfALongName()
    {
        m_name = QStringLiteral("e") + QString(3000, QChar(0x301)) + QString(5000, u'n');
        open(m_folder->filePath(QStringLiteral("long.json")));
        constexpr qsizetype kLongest = 2000; // A few names stand in one text.
        int shown = 0;
        const auto check = [&](const QString& words, const QObject& where) {
            shown += words.contains(u'…') ? 1 : 0;
            QVERIFY2(words.size() <= kLongest, qPrintable(where.objectName()));
        };
        for (const QString& view : MainWindow::viewNames()) {
            if (!m_window->showView(view, false)) {
                continue;
            }
            QCoreApplication::processEvents();
            for (const QLabel* label : m_window->findChildren<QLabel*>()) {
                check(label->text(), *label);
                check(label->toolTip(), *label);
            }
            for (const QAbstractItemView* items : m_window->findChildren<QAbstractItemView*>()) {
                const QAbstractItemModel* model = items->model();
                for (int row = 0; model != nullptr && row < std::min(model->rowCount(), 20);
                     ++row) {
                    for (int column = 0; column < model->columnCount(); ++column) {
                        const QModelIndex cell = model->index(row, column);
                        check(cell.data(Qt::DisplayRole).toString(), *items);
                        check(cell.data(Qt::ToolTipRole).toString(), *items);
                    }
                }
            }
        }
        QVERIFY(shown > 3);
    }

    void noPageLoadsIt()
    {
        const std::unique_ptr<QTextBrowser> page(makeTextPage(nullptr, QStringLiteral("page")));
        page->setMarkdown(
            QStringLiteral("# Words\n\n![picture](file://%1) %2\n").arg(m_bait, m_name));
        page->show();
        QVERIFY(QTest::qWaitForWindowExposed(page.get()));
        QVERIFY(!m_watch->wasOpened());
    }
};

TIDEMARK_TEST(TstHostileNames)

} // namespace tidemark::tst_hostile_names

#include "tst_hostile_names.moc"
