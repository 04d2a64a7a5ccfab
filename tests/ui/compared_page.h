// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/pipeline/pipeline.h"
#include "tests/core/compare/decoder_run.h"
#include "tests/ui/opened_window.h"
#include "ui/models/roles.h"
#include "ui/views/compare/compare_page.h"

#include <QtWidgets/QTableView>

namespace tidemark::test {

inline constexpr int kPatience = 60000;

inline ui::ComparedRun runOf(const DecoderOptions& options, const QString& letter)
{
    NoProgress progress;
    return {pipeline::withInput(decoderRun(options), {}, progress, {}).value(), 0, letter};
}

/// A page that shows two runs, of which the second has twice the sequence and casts its weights.
struct ComparedPage {
    ui::ComparePage page;
    ui::ComparedRun base = runOf({}, QStringLiteral("A"));
    ui::ComparedRun against = runOf({.sequence = 256, .is_autocast = true}, QStringLiteral("C"));

    ComparedPage()
    {
        page.resize(1300, 860);
        page.setVisible(true);
        page.activateWindow();
    }
    void compare()
    {
        QVERIFY(QTest::qWaitForWindowActive(&page));
        page.show(base, against);
        page.setFiles({{1, base.letter, QStringLiteral("one"), {}},
                       {2, against.letter, QStringLiteral("two"), {}}},
                      1, 2);
        QTRY_VERIFY_WITH_TIMEOUT(!page.isBusy(), kPatience);
        Opened::settle();
    }
    template <class T>
    T* child(const char* name)
    {
        return page.findChild<T*>(QString::fromLatin1(name));
    }
    ui::CompareLanes& lanes()
    {
        return page.lanes();
    }
    /// The sentence of the answer that has some words, at length, as its tip says it.
    QLabel* sentence(const QString& words)
    {
        for (ui::SentenceLabel* label : page.findChildren<ui::SentenceLabel*>()) {
            if (label->toolTip().contains(words)) {
                return label;
            }
        }
        return nullptr;
    }
};

inline void press(QWidget& widget, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QTest::keyClick(&widget, key, modifiers);
    Opened::settle();
}

inline qint64 bytesIn(const QTableView& table, int row, int column)
{
    return table.model()->index(row, column).data(ui::BytesRole).toLongLong();
}

} // namespace tidemark::test
