// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/source_view.h"

#include "core/base/short_text.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtCore/QFileInfo>
#include <QtGui/QFontDatabase>
#include <QtGui/QTextBlock>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QVBoxLayout>

#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kNarrowestSource = 44; ///< Average letters.
constexpr int kAround = 40; ///< Lines before and behind the frame's.

} // namespace

SourceView::SourceView(SourcePlaces& places, QWidget* parent)
    : QWidget(parent)
    , m_places(places)
    , m_words(makeSecondaryText(this, QStringLiteral("sourceWords")))
    , m_open(makeQuietButton(this, tr("Open in Editor")))
    , m_find(makeQuietButton(this, tr("Find File…")))
    , m_code(new QPlainTextEdit(this))
{
    setObjectName(QStringLiteral("sourceView"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 0, 0, 0);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->addWidget(m_words, 1);
    for (QToolButton* button : {m_find, m_open}) {
        button->setFont(smallFont(*this));
        row->addWidget(button, 0, Qt::AlignTop);
    }
    column->addLayout(row);
    column->addWidget(m_code, 1000);
    column->addStretch(1); // Without lines the words stay at the top.
    setMinimumWidth(fontMetrics().averageCharWidth() * kNarrowestSource);
    m_open->setObjectName(QStringLiteral("openInEditor"));
    m_open->setPopupMode(QToolButton::MenuButtonPopup);
    m_open->setMenu(new QMenu(m_open));
    m_find->setObjectName(QStringLiteral("findSource"));
    m_find->setToolTip(tr("Locate this file here; finds others of its folder, too"));
    m_code->setObjectName(QStringLiteral("sourceCode"));
    m_code->setAccessibleName(tr("Source around the frame"));
    m_code->setReadOnly(true);
    m_code->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_code->setTabChangesFocus(true);
    m_code->setFrameShape(QFrame::NoFrame);
    m_code->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    connect(m_find, &QToolButton::clicked, this, &SourceView::chooseFile);
    connect(m_open, &QToolButton::clicked, this, [this] { open(m_places.editor()); });
    connect(m_open->menu(), &QMenu::aboutToShow, this, &SourceView::fillMenu);
    connect(&m_places, &SourcePlaces::changed, this, &SourceView::refresh);
    refresh();
}

void SourceView::setPlace(std::optional<FramePlace> place)
{
    m_place = std::move(place);
    refresh();
}

void SourceView::refresh()
{
    m_code->clear();
    m_code->setExtraSelections({});
    m_path = m_place && m_place->line > 0 ? m_places.find(m_place->file) : QString();
    m_open->setVisible(!m_path.isEmpty());
    const bool is_carried = m_place && m_place->source != nullptr;
    m_find->setVisible(m_place && m_place->line > 0 && !is_carried);
    m_code->setVisible(false);
    if (!m_place) {
        m_words->clear();
        return;
    }
    const QString function = text(shownName(utf8(m_place->function)));
    const QString file = text(shownName(utf8(m_place->file)));
    const QString frame = m_place->line > 0
        ? tr("%1 in %2, line %3").arg(function, file).arg(m_place->line)
        : tr("%1 in %2").arg(function, file);
    if (m_place->line <= 0) {
        m_words->setText(frame % u'\n' % tr("No line recorded."));
        return;
    }
    if (is_carried) { // As it was; a file here may have changed since.
        const std::string& all = *m_place->source;
        const auto bytes = QByteArray::fromRawData(all.data(), static_cast<qsizetype>(all.size()));
        const Result<SourceLines> lines = linesAround(bytes, m_place->line, kAround);
        m_words->setText(
            frame % u'\n'
            % (lines.has_value() ? tr("Source from the recording") : text(lines.error().message)));
        if (lines.has_value()) {
            showLines(lines.value());
        }
        return;
    }
    if (m_path.isEmpty()) {
        m_words->setText(frame % u'\n'
                         % tr("File not found on this machine. Use Find File to locate it."));
        return;
    }
    const Result<SourceLines> found = readAround(m_path, m_place->line, kAround);
    if (!found.has_value()) {
        m_words->setText(frame % u'\n' % text(found.error().message));
        return;
    }
    m_words->setText(m_path % u':' % QString::number(m_place->line));
    showLines(found.value());
}

void SourceView::showLines(const SourceLines& source)
{
    const auto last = source.first + static_cast<int>(source.lines.size()) - 1;
    const auto digits = QString::number(last).size();
    QString shown;
    for (qsizetype i = 0; i < source.lines.size(); ++i) {
        const QString number = QString::number(source.first + i);
        shown += (i == 0 ? QString() : QStringLiteral("\n")) % number.rightJustified(digits, u' ')
            % QStringLiteral("  ") % source.lines[i];
    }
    m_code->setPlainText(shown);
    m_code->setVisible(true);
    const QTextBlock block = m_code->document()->findBlockByNumber(m_place->line - source.first);
    QTextEdit::ExtraSelection line;
    line.cursor = QTextCursor(block);
    line.format.setBackground(currentColours().selection);
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    m_code->setExtraSelections({line});
    m_code->setTextCursor(line.cursor);
    m_code->centerCursor();
}

void SourceView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_place) {
        refresh();
    }
}

void SourceView::chooseFile()
{
    const QString name = m_place->file.section(u'/', -1).section(u'\\', -1);
    const QString path = QFileDialog::getOpenFileName(this, tr("Locate %1").arg(name),
                                                      m_path.isEmpty() ? QString() : m_path,
                                                      tr("%1 (%1);;All files (*)").arg(name));
    if (!path.isEmpty() && !locate(path)) {
        Q_EMIT failed(tr("%1 is not %2; select the file of that name.")
                          .arg(QFileInfo(path).fileName(), name));
    }
}

bool SourceView::locate(const QString& path)
{
    const auto mapping = m_place ? mappingBetween(m_place->file, path) : std::nullopt;
    if (mapping) {
        m_places.add(*mapping);
    }
    return mapping.has_value();
}

void SourceView::open(SourcePlaces::Editor editor)
{
    m_places.setEditor(editor);
    const QString problem = m_places.openInEditor(m_place->file, m_place->line);
    if (!problem.isEmpty()) {
        Q_EMIT failed(problem);
    }
}

void SourceView::askForCommand()
{
    auto* dialog = new QInputDialog(window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("editorCommand"));
    dialog->setWindowTitle(tr("Editor command"));
    dialog->setLabelText(tr("Program with {file} and {line}, like subl {file}:{line}"));
    dialog->setInputMode(QInputDialog::TextInput);
    dialog->setTextValue(m_places.ownCommand());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& words) {
        if (!words.trimmed().isEmpty()) {
            m_places.setOwnCommand(words.trimmed());
            open(SourcePlaces::Editor::own);
        }
    });
    dialog->open();
}

void SourceView::fillMenu()
{
    using enum SourcePlaces::Editor;
    QMenu& menu = *m_open->menu();
    menu.clear();
    for (const auto& [name, editor] :
         {std::pair{tr("First installed"), automatic}, std::pair{tr("VS Code"), vscode},
          std::pair{tr("PyCharm"), pycharm}, std::pair{tr("EDITOR in a terminal"), terminal}}) {
        QAction* const action =
            menu.addAction(name, this, [this, chosen = editor] { open(chosen); });
        action->setCheckable(true);
        action->setChecked(editor == m_places.editor());
        action->setEnabled(editorCommand(editor, m_path, 1).has_value());
    }
    QAction* const other = menu.addAction(tr("Other Command…"), this, &SourceView::askForCommand);
    other->setCheckable(true);
    other->setChecked(own == m_places.editor());
    other->setToolTip(m_places.ownCommand());
}

} // namespace tidemark::ui
