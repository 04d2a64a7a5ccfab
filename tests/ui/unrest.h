// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QWidget>

#include <map>
#include <utility>

namespace tidemark::test {

/// Whether views settle. A scroll bar that shows narrows what is beside it; where that needs the
/// bar no more, it goes, and so on without an end: the window hangs. What is laid out that often in
/// one step loses its scroll bars, so that the test goes on, and is named.
class Unrest : public QObject {
public:
    Unrest()
    {
        QCoreApplication::instance()->installEventFilter(this);
    }
    /// What did not settle since the last call; empty: all did.
    [[nodiscard]] QString endStep()
    {
        m_resizes.clear();
        return std::exchange(m_found, {});
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        constexpr int kMostResizes = 500;
        if (event->type() != QEvent::Resize) {
            return false;
        }
        auto* const area = qobject_cast<QAbstractScrollArea*>(watched->parent());
        if (area != nullptr && ++m_resizes[watched] == kMostResizes) {
            const auto& resize = static_cast<const QResizeEvent&>(*event);
            m_found += QStringLiteral("%1 %2 in %3: %4 x %5 and %6 x %7 in turns; ")
                           .arg(QString::fromLatin1(area->metaObject()->className()),
                                area->objectName(), area->window()->objectName())
                           .arg(resize.oldSize().width())
                           .arg(resize.oldSize().height())
                           .arg(resize.size().width())
                           .arg(resize.size().height());
            area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
            area->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        }
        return false;
    }

private:
    std::map<const QObject*, int> m_resizes;
    QString m_found;
};

} // namespace tidemark::test
