// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/source_places.h"

#include "ui/models/text.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QProcess>
#include <QtCore/QStandardPaths>

#include <algorithm>
#include <array>

namespace tidemark::ui {
namespace {

constexpr qint64 kLargestFile = 8 << 20;
constexpr qsizetype kLongestLine = 400;

/// A recorded name with slashes, whichever system wrote it.
QString withSlashes(QString name)
{
    return name.replace(u'\\', u'/');
}

/// What follows a folder in a name; null where the name does not lie below it.
QString below(const QString& folder, const QString& name)
{
    return name.startsWith(folder + u'/') ? name.mid(folder.size()) : QString();
}

/// A recording may name any file of this machine: only code is shown.
bool isCode(const QString& name)
{
    static const QStringList endings{
        QStringLiteral("py"),  QStringLiteral("pyi"), QStringLiteral("pyx"), QStringLiteral("cpp"),
        QStringLiteral("cc"),  QStringLiteral("cxx"), QStringLiteral("c"),   QStringLiteral("h"),
        QStringLiteral("hpp"), QStringLiteral("cu"),  QStringLiteral("cuh")};
    return endings.contains(QFileInfo(name).suffix(), Qt::CaseInsensitive);
}

QString executable(std::initializer_list<const char*> names)
{
    for (const char* name : names) {
        const QString found = QStandardPaths::findExecutable(QString::fromLatin1(name));
        if (!found.isEmpty()) {
            return found;
        }
    }
    return {};
}

/// VISUAL or EDITOR may hold options, too.
QStringList ownEditor()
{
    for (const char* name : {"VISUAL", "EDITOR"}) {
        const QStringList words = QProcess::splitCommand(qEnvironmentVariable(name));
        if (!words.isEmpty()) {
            return words;
        }
    }
    return {};
}

/// The words of a person's command, with the file's name inside one of them whatever it holds.
std::optional<EditorCommand> ownCommandFor(const QString& words, const QString& path, int line)
{
    QStringList parts = QProcess::splitCommand(words);
    if (parts.isEmpty()) {
        return std::nullopt;
    }
    const bool names_file = words.contains(QLatin1String("{file}"));
    const QString program = parts.takeFirst();
    for (QString& part : parts) {
        // Both at once: the name may hold what stands for the line.
        const QStringList pieces = part.split(QLatin1String("{file}"));
        QStringList filled;
        for (QString piece : pieces) {
            filled << piece.replace(QLatin1String("{line}"), QString::number(line));
        }
        part = filled.join(path);
    }
    if (!names_file) {
        parts << path;
    }
    return EditorCommand{program, parts};
}

std::optional<EditorCommand> inTerminal(const QString& path, int line)
{
    const QStringList editor = ownEditor();
    const QString terminal =
        executable({"x-terminal-emulator", "konsole", "gnome-terminal", "xfce4-terminal", "xterm"});
    if (editor.isEmpty() || terminal.isEmpty()) {
        return std::nullopt;
    }
    const bool takes_dashes = terminal.endsWith(QStringLiteral("gnome-terminal"));
    // Behind its -e Xfce's terminal takes one word, which it splits as a shell does.
    const bool takes_rest = terminal.endsWith(QStringLiteral("xfce4-terminal"));
    QStringList arguments{takes_dashes     ? QStringLiteral("--")
                              : takes_rest ? QStringLiteral("-x")
                                           : QStringLiteral("-e")};
    arguments << editor << QStringLiteral("+%1").arg(line) << path;
    return EditorCommand{terminal, arguments};
}

} // namespace

std::optional<PathMapping> mappingBetween(const QString& recorded, const QString& here)
{
    const QStringList a = withSlashes(recorded).split(u'/');
    const QStringList b = QDir::cleanPath(here).split(u'/');
    qsizetype same = 0;
    while (same < std::min(a.size(), b.size()) - 1
           && a[a.size() - 1 - same] == b[b.size() - 1 - same]) {
        ++same;
    }
    if (same == 0) {
        return std::nullopt;
    }
    return PathMapping{a.mid(0, a.size() - same).join(u'/'), b.mid(0, b.size() - same).join(u'/')};
}

void SourcePlaces::add(const PathMapping& mapping)
{
    std::erase_if(m_mappings,
                  [&](const PathMapping& each) { return each.recorded == mapping.recorded; });
    m_mappings.push_back(mapping);
    Q_EMIT changed();
}

void SourcePlaces::setEditor(Editor editor)
{
    if (editor != m_editor) {
        m_editor = editor;
        Q_EMIT changed();
    }
}

void SourcePlaces::setOwnCommand(const QString& words)
{
    if (words != m_own_command) {
        m_own_command = words;
        Q_EMIT changed();
    }
}

QString SourcePlaces::openInEditor(const QString& recorded, int line) const
{
    const QString path = find(recorded);
    if (path.isEmpty()) {
        return tr("File not found on this machine. Use Find File to locate it.");
    }
    const auto command = editorCommand(m_editor, path, line, m_own_command);
    if (!command) {
        return tr(
            "No editor found. Install VS Code or PyCharm, or set EDITOR and restart Tidemark.");
    }
    return QProcess::startDetached(command->program, command->arguments)
        ? QString()
        : tr("Cannot start %1.").arg(command->program);
}

QString SourcePlaces::find(const QString& recorded) const
{
    const QString name = withSlashes(recorded);
    if (!isCode(name)) {
        return {};
    }
    const PathMapping* best = nullptr;
    for (const PathMapping& mapping : m_mappings) {
        if (!below(mapping.recorded, name).isNull()
            && (best == nullptr || mapping.recorded.size() > best->recorded.size())) {
            best = &mapping;
        }
    }
    if (best != nullptr) {
        const QFileInfo mapped(best->here + below(best->recorded, name));
        if (mapped.isFile()) {
            return mapped.absoluteFilePath();
        }
    }
    const QFileInfo own(name);
    return own.isAbsolute() && own.isFile() ? own.absoluteFilePath() : QString();
}

QStringList SourcePlaces::saved() const
{
    QStringList words;
    for (const PathMapping& mapping : m_mappings) {
        words << mapping.recorded << mapping.here;
    }
    return words;
}

void SourcePlaces::restore(const QStringList& words, int editor)
{
    m_mappings.clear();
    for (qsizetype i = 0; i + 1 < words.size(); i += 2) {
        m_mappings.push_back({words[i], words[i + 1]});
    }
    const bool is_known = editor >= 0 && editor <= static_cast<int>(Editor::own);
    m_editor = is_known ? static_cast<Editor>(editor) : Editor::automatic;
    Q_EMIT changed();
}

Result<SourceLines> readAround(const QString& path, int line, int around)
{
    const QFileInfo info(path);
    QFile file(path);
    // A name out of a recording may lead to a device or a pipe, which would never end.
    if (!info.isFile() || !file.open(QIODevice::ReadOnly)) {
        return Error{ErrorCode::cannotOpen, utf8(SourcePlaces::tr("Cannot read the file.")), {}};
    }
    if (info.size() > kLargestFile) {
        return Error{ErrorCode::cannotOpen, utf8(SourcePlaces::tr("The file exceeds 8 MiB.")), {}};
    }
    return linesAround(file.read(kLargestFile), line, around);
}

Result<SourceLines> linesAround(const QByteArray& bytes, int line, int around)
{
    if (bytes.contains('\0')) {
        return Error{ErrorCode::cannotOpen, utf8(SourcePlaces::tr("Not a text file.")), {}};
    }
    SourceLines found;
    found.first = std::max(1, line - around);
    int number = 0;
    for (qsizetype from = 0; from < bytes.size() && number < line + around;) {
        qsizetype end = bytes.indexOf('\n', from);
        end = end < 0 ? bytes.size() : end;
        ++number;
        if (number >= found.first) {
            QString text = QString::fromUtf8(bytes.mid(from, end - from));
            if (text.endsWith(u'\r')) {
                text.chop(1);
            }
            found.lines << text.left(kLongestLine).replace(u'\t', QStringLiteral("    "));
        }
        from = end + 1;
    }
    if (number < line) {
        return Error{
            ErrorCode::cannotOpen,
            utf8(SourcePlaces::tr("The file has fewer lines; it has changed since the recording.")),
            {}};
    }
    return found;
}

std::optional<EditorCommand> editorCommand(SourcePlaces::Editor editor, const QString& path,
                                           int line, const QString& own_command)
{
    using enum SourcePlaces::Editor;
    switch (editor) {
    case automatic:
        for (const SourcePlaces::Editor each : {vscode, pycharm, terminal}) {
            if (const auto command = editorCommand(each, path, line)) {
                return command;
            }
        }
        return std::nullopt;
    case vscode: {
        const QString program = executable({"code", "codium", "code-insiders"});
        if (program.isEmpty()) {
            return std::nullopt;
        }
        return EditorCommand{program,
                             {QStringLiteral("-g"), QStringLiteral("%1:%2").arg(path).arg(line)}};
    }
    case pycharm: {
        const QString program =
            executable({"pycharm", "pycharm-community", "pycharm-professional", "charm"});
        if (program.isEmpty()) {
            return std::nullopt;
        }
        return EditorCommand{program, {QStringLiteral("--line"), QString::number(line), path}};
    }
    case terminal:
        return inTerminal(path, line);
    case own:
        return ownCommandFor(own_command, path, line);
    }
    return std::nullopt;
}

} // namespace tidemark::ui
