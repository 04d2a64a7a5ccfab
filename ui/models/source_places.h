// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::ui {

/// Files that were recorded below one folder lie below another one here.
struct PathMapping {
    QString recorded; ///< "/remote/project", without a slash at its end.
    QString here;
    friend bool operator==(const PathMapping&, const PathMapping&) = default;
};

/// The mapping that leads from a recorded file to one that a person found here: what is left of
/// both names without the folders that they have in common at their ends. Nullopt: the files have
/// different names.
[[nodiscard]] std::optional<PathMapping> mappingBetween(const QString& recorded,
                                                        const QString& here);

/// Where the source files of recorded programs lie on this machine, and with what they are opened.
class SourcePlaces : public QObject {
    Q_OBJECT
public:
    enum class Editor : std::uint8_t { automatic, vscode, pycharm, terminal, own };
    using QObject::QObject;

    [[nodiscard]] const std::vector<PathMapping>& mappings() const
    {
        return m_mappings;
    }
    /// In place of one for the same recorded folder.
    void add(const PathMapping& mapping);
    [[nodiscard]] Editor editor() const
    {
        return m_editor;
    }
    void setEditor(Editor editor);
    /// Of the editor `own`: a program and its arguments, with {file} and {line} where they go.
    [[nodiscard]] const QString& ownCommand() const
    {
        return m_own_command;
    }
    void setOwnCommand(const QString& words);
    /// Opens a recorded file at a line with the editor, or says in one sentence why not. Programs
    /// are started with lists of arguments, never through a shell.
    [[nodiscard]] QString openInEditor(const QString& recorded, int line) const;
    /// The file of code here, absolute; empty where there is none. The longest recorded folder
    /// counts; a file that no mapping leads to is looked for under its own name.
    [[nodiscard]] QString find(const QString& recorded) const;

    /// As lists of words for settings, and back; what is no list of pairs is left out.
    [[nodiscard]] QStringList saved() const;
    void restore(const QStringList& words, int editor);

Q_SIGNALS:
    void changed();

private:
    std::vector<PathMapping> m_mappings;
    Editor m_editor = Editor::automatic;
    QString m_own_command;
};

/// Some lines of a file.
struct SourceLines {
    int first = 1; ///< Number of the first of them.
    QStringList lines; ///< Without line breaks; long ones are cut off.
};

/// The lines around one, `around` before and behind it. Reads ordinary files of up to 8 MiB.
/// Errors: cannotOpen with one sentence.
[[nodiscard]] Result<SourceLines> readAround(const QString& path, int line, int around);
/// The same of a file's bytes.
[[nodiscard]] Result<SourceLines> linesAround(const QByteArray& bytes, int line, int around);

/// A program with its arguments, to be started without a shell.
struct EditorCommand {
    QString program;
    QStringList arguments;
};
/// How an editor opens a file at a line: VS Code (or VSCodium), PyCharm, or what VISUAL or EDITOR
/// name inside a terminal; `automatic` takes the first that is installed; `own` is a command that a
/// person wrote, whose words are split before the file's name is put in. Nullopt: it is not.
[[nodiscard]] std::optional<EditorCommand> editorCommand(SourcePlaces::Editor editor,
                                                         const QString& path, int line,
                                                         const QString& own_command = {});

} // namespace tidemark::ui
