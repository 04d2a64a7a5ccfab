// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"
#include "tests/ui/ui_test.h"
#include "ui/models/frames_model.h"
#include "ui/models/source_places.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/panels/source_view.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QStringListModel>
#include <QtCore/QTemporaryDir>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_source_view {

using namespace tidemark::ui;

namespace {

void write(const QString& path, const QByteArray& bytes)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

/// Sets a variable of the environment for as long as it lives.
class Environment {
public:
    Environment(const char* name, const QByteArray& value)
        : m_name(name)
        , m_former(qgetenv(name))
    {
        qputenv(name, value);
    }
    ~Environment()
    {
        qputenv(m_name, m_former);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    const char* m_name;
    QByteArray m_former;
};

} // namespace

class TstSourceView : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void theNameOfTheFileIsWhatANarrowColumnKeeps()
    {
        class Delegate : public ItemDelegate {
        public:
            using ItemDelegate::initStyleOption;
        } delegate;
        const auto shown = [&](const QString& words, int letters) {
            const QStringListModel model(QStringList{words});
            QStyleOptionViewItem option;
            const QFontMetrics metrics(option.font);
            const int room = letters * metrics.horizontalAdvance(u'n');
            option.rect = QRect(0, 0, room + 12, 20);
            delegate.initStyleOption(&option, model.index(0));
            return metrics.elidedText(option.text, option.textElideMode, room);
        };
        const QString path = QStringLiteral("/home/me/projects/gpt/model.py:37");
        QCOMPARE(shown(path, 80), path);
        QVERIFY(shown(path, 28).startsWith(QStringLiteral("/home")));
        for (const int letters : {28, 20, 14}) {
            QVERIFY2(shown(path, letters).endsWith(QStringLiteral("model.py:37")),
                     qPrintable(shown(path, letters)));
        }
    }
    void aFoundFileTellsWhereItsFolderLies()
    {
        const auto mapping = mappingBetween(QStringLiteral("/remote/u/proj/pkg/model.py"),
                                            QStringLiteral("/home/me/proj/pkg/model.py"));
        QVERIFY(mapping.has_value());
        QCOMPARE(mapping->recorded, QStringLiteral("/remote/u"));
        QCOMPARE(mapping->here, QStringLiteral("/home/me"));
        const auto windows =
            mappingBetween(QStringLiteral("C:\\work\\model.py"), QStringLiteral("/x/model.py"));
        QCOMPARE(windows->recorded, QStringLiteral("C:/work"));
        QVERIFY(!mappingBetween(QStringLiteral("/a/model.py"), QStringLiteral("/a/other.py")));
    }

    void theLongestRecordedFolderCounts()
    {
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("a/m.py")), "a");
        write(folder.filePath(QStringLiteral("b/m.py")), "b");
        SourcePlaces places;
        places.add({QStringLiteral("/r"), folder.filePath(QStringLiteral("a"))});
        places.add({QStringLiteral("/r/sub"), folder.filePath(QStringLiteral("b"))});
        QVERIFY(places.find(QStringLiteral("/r/m.py")).endsWith(QStringLiteral("/a/m.py")));
        QVERIFY(places.find(QStringLiteral("/r/sub/m.py")).endsWith(QStringLiteral("/b/m.py")));
        QVERIFY(places.find(QStringLiteral("/rest/m.py")).isEmpty()); // Not below "/r".
        SourcePlaces again;
        again.restore(places.saved(), static_cast<int>(SourcePlaces::Editor::pycharm));
        QVERIFY(again.mappings() == places.mappings());
        QVERIFY(again.editor() == SourcePlaces::Editor::pycharm);
        again.restore({QStringLiteral("alone")}, 99);
        QVERIFY(again.mappings().empty() && again.editor() == SourcePlaces::Editor::automatic);
    }

    void onlyCodeIsRead()
    {
        const QTemporaryDir folder;
        const QString key = folder.filePath(QStringLiteral("id_rsa"));
        write(key, "secret\n");
        const QString binary = folder.filePath(QStringLiteral("m.py"));
        write(binary, QByteArray("\0\1\2", 3));
        const SourcePlaces places;
        QVERIFY(places.find(key).isEmpty());
        QVERIFY(places.find(QStringLiteral("/dev/zero")).isEmpty());
        QVERIFY(!readAround(binary, 1, 3).has_value());
        QVERIFY(!readAround(folder.path(), 1, 3).has_value());
    }

    void linesAroundOne()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("m.py"));
        write(path, "1\r\n2\n3\n\t4\n5");
        const SourceLines lines = readAround(path, 3, 1).value();
        QCOMPARE(lines.first, 2);
        QCOMPARE(lines.lines,
                 QStringList({QStringLiteral("2"), QStringLiteral("3"), QStringLiteral("    4")}));
        QCOMPARE(readAround(path, 1, 9).value().lines.size(), 5);
        QVERIFY(!readAround(path, 6, 1).has_value());
    }

    void aFrameWithoutItsFileSaysSoUntilTheFileIsShown()
    {
        const QTemporaryDir folder;
        const QString here = folder.filePath(QStringLiteral("proj/model.py"));
        write(here, "def forward(x):\n    return x @ w\n");
        SourcePlaces places;
        SourceView view(places);
        view.resize(600, 200);
        view.show();
        view.setPlace(
            FramePlace{QStringLiteral("/remote/proj/model.py"), QStringLiteral("forward"), 2});
        auto* code = view.findChild<QPlainTextEdit*>(QStringLiteral("sourceCode"));
        auto* words = view.findChild<QLabel*>(QStringLiteral("sourceWords"));
        auto* open = view.findChild<QToolButton*>(QStringLiteral("openInEditor"));
        QVERIFY(!code->isVisible() && !open->isVisible());
        QVERIFY(words->text().contains(QStringLiteral("not found on this machine")));
        QVERIFY(!view.locate(folder.filePath(QStringLiteral("other.py"))));
        QVERIFY(view.locate(here));
        QVERIFY(code->isVisible() && open->isVisible());
        QVERIFY(code->toPlainText().contains(QStringLiteral("2      return x @ w")));
        QCOMPARE(code->textCursor().blockNumber(), 1);
        // Other files of the folder are found, too; none that does not exist.
        view.setPlace(FramePlace{QStringLiteral("/remote/proj/gone.py"), {}, 2});
        QVERIFY(!code->isVisible());
        view.setPlace(std::nullopt);
        QVERIFY(words->text().isEmpty());
    }

    void aFileThatTheRecordingCarriesIsShownAsItWas()
    {
        const QTemporaryDir folder;
        const QString here = folder.filePath(QStringLiteral("model.py"));
        write(here, "changed = True\n# since\n");
        SourcePlaces places;
        SourceView view(places);
        view.resize(600, 200);
        view.show();
        FramePlace place{here, QStringLiteral("forward"), 2};
        place.source = std::make_shared<const std::string>("def forward(x):\n    return x @ w\n");
        view.setPlace(place);
        const auto* code = view.findChild<QPlainTextEdit*>(QStringLiteral("sourceCode"));
        const auto* words = view.findChild<QLabel*>(QStringLiteral("sourceWords"));
        QVERIFY(code->isVisible());
        QVERIFY(code->toPlainText().contains(QStringLiteral("2      return x @ w")));
        QVERIFY(words->text().endsWith(QStringLiteral("Source from the recording")));
        QVERIFY(!view.findChild<QToolButton*>(QStringLiteral("findSource"))->isVisible());
        // What is here can still be opened.
        QVERIFY(view.findChild<QToolButton*>(QStringLiteral("openInEditor"))->isVisible());
        place.line = 9;
        view.setPlace(place);
        QVERIFY(!code->isVisible() && words->text().contains(QStringLiteral("fewer lines")));
    }

    void framesFindTheirCarriedFile()
    {
        trace::Snapshot snapshot = test::snapshotFromScript(
            "stack s = forward /remote/model.py:2; main /remote/train.py:4\na +1M @s\n");
        snapshot.sources = {{"/remote/model.py", "def forward():\n    pass\n"}};
        const StackId stack = snapshot.devices[0].events.stack[0];
        FramesModel frames;
        frames.setStack(std::make_shared<const trace::Snapshot>(std::move(snapshot)), stack);
        QVERIFY(frames.placeAt(0).source != nullptr);
        QVERIFY(frames.placeAt(0).source->starts_with("def forward"));
        QVERIFY(frames.placeAt(1).source == nullptr);
    }

    void editorsAreStartedWithoutAShell()
    {
        const QTemporaryDir folder;
        // A name that a shell would take apart.
        const QString path = folder.filePath(QStringLiteral("a b;$(touch x)/m.py"));
        write(path, "1\n2\n");
        const QString told = folder.filePath(QStringLiteral("told"));
        const QString program = folder.filePath(QStringLiteral("bin/code"));
        write(program, "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + told.toUtf8() + "'\n");
        QVERIFY(
            QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const Environment search(
            "PATH", folder.filePath(QStringLiteral("bin")).toUtf8() + ":/usr/bin:/bin");
        SourcePlaces places;
        SourceView view(places);
        view.show();
        view.setPlace(FramePlace{path, QStringLiteral("f"), 2});
        view.findChild<QToolButton*>(QStringLiteral("openInEditor"))->click();
        QTRY_VERIFY(QFileInfo(told).size() > 0);
        QFile file(told);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("-g\n" + path.toUtf8() + ":2\n"));
    }

    void everyEditorHasItsWords()
    {
        const QTemporaryDir folder;
        for (const char* name : {"pycharm", "x-terminal-emulator"}) {
            const QString program = folder.filePath(QString::fromLatin1(name));
            write(program, "#!/bin/sh\n");
            QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner));
        }
        const Environment search("PATH", folder.path().toUtf8());
        const Environment visual("VISUAL", QByteArray());
        const Environment editor("EDITOR", "vim -f");
        const QString path = QStringLiteral("/p/m.py");
        using enum SourcePlaces::Editor;
        QVERIFY(!editorCommand(vscode, path, 7));
        QCOMPARE(editorCommand(pycharm, path, 7)->arguments,
                 QStringList({QStringLiteral("--line"), QStringLiteral("7"), path}));
        QCOMPARE(editorCommand(terminal, path, 7)->arguments,
                 QStringList({QStringLiteral("-e"), QStringLiteral("vim"), QStringLiteral("-f"),
                              QStringLiteral("+7"), path}));
        QVERIFY(editorCommand(automatic, path, 7)->program.endsWith(QStringLiteral("/pycharm")));
    }

    void aCommandOfOnesOwnKeepsAHostileNameInOneWord()
    {
        const QString path = QStringLiteral("/p/a b;$(touch x) {line} \"q\"/m.py");
        const auto own = [&](const char* words) {
            return editorCommand(SourcePlaces::Editor::own, path, 7, QString::fromLatin1(words));
        };
        QCOMPARE(own("subl -n {file}:{line}")->program, QStringLiteral("subl"));
        QCOMPARE(own("subl -n {file}:{line}")->arguments,
                 QStringList({QStringLiteral("-n"), path + QStringLiteral(":7")}));
        QCOMPARE(own("emacs +{line}")->arguments, QStringList({QStringLiteral("+7"), path}));
        QVERIFY(!own(" "));
    }

    void theTerminalOfXfceGetsAListOfWords()
    {
        const QTemporaryDir folder;
        const QString program = folder.filePath(QStringLiteral("xfce4-terminal"));
        write(program, "#!/bin/sh\n");
        QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner));
        const Environment search("PATH", folder.path().toUtf8());
        const Environment visual("VISUAL", "vi");
        QCOMPARE(editorCommand(SourcePlaces::Editor::terminal, QStringLiteral("/p/a b.py"), 7)
                     ->arguments,
                 QStringList({QStringLiteral("-x"), QStringLiteral("vi"), QStringLiteral("+7"),
                              QStringLiteral("/p/a b.py")}));
    }
};

TIDEMARK_TEST(TstSourceView)

} // namespace tidemark::tst_source_view

#include "tst_source_view.moc"
