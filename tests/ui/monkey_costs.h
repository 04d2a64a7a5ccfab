// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <malloc.h>

#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QFile>
#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <QtWidgets/QWidget>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <map>
#include <utility>
#include <vector>

namespace tidemark::test {

/// Processor time of a step, repainting included, above which it is named: it can be seen.
inline constexpr double kVisible = 50;
/// Milliseconds of processor time of this thread.
inline double threadMs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// MiB of memory that the process holds; what is free in its heap is given back before.
inline double heldMiB()
{
    malloc_trim(0);
    QFile statm(QStringLiteral("/proc/self/statm"));
    if (!statm.open(QIODevice::ReadOnly)) {
        return 0;
    }
    constexpr double kPagesPerMiB = 256;
    return statm.readAll().split(' ').value(1).toDouble() / kPagesPerMiB;
}

/// MiB that the program has allocated and not freed, which the heap's holes are no part of.
inline double allocatedMiB()
{
    const struct mallinfo2 heap = mallinfo2();
    constexpr double kMiB = 1024 * 1024;
    return static_cast<double>(heap.uordblks + heap.hblkhd) / kMiB;
}

/// What took long enough to be seen, by what was done.
class SlowSteps {
public:
    void add(double cpu, const QString& words)
    {
        if (cpu > kVisible) {
            Kind& kind = m_kinds[words];
            ++kind.count;
            kind.longest = std::max(kind.longest, cpu);
        }
    }
    void print() const
    {
        constexpr std::size_t kMost = 20;
        std::multimap<double, QString> slowest;
        int count = 0;
        for (const auto& [words, kind] : m_kinds) {
            count += kind.count;
            slowest.insert({kind.longest,
                            QStringLiteral("%1 ms at most, %2 of them: %3")
                                .arg(kind.longest, 0, 'f', 0)
                                .arg(kind.count)
                                .arg(words)});
        }
        qInfo("%d steps took more than %.0f ms of processor time; the slowest:", count, kVisible);
        std::size_t printed = 0;
        for (auto step = slowest.rbegin(); step != slowest.rend() && printed < kMost; ++step) {
            qInfo("  %s", qPrintable(step->second));
            ++printed;
        }
    }

private:
    struct Kind {
        int count = 0;
        double longest = 0;
    };
    std::map<QString, Kind> m_kinds;
};

/// How long the window takes to paint what has changed: one frame. Of one above kVisible it prints
/// what was done and which widgets took the time.
class Frames : public QObject {
public:
    Frames()
    {
        QCoreApplication::instance()->installEventFilter(this);
    }
    /// A step is done: says which of its frames were slow.
    void endStep(const QString& words)
    {
        for (const QString& frame : std::as_const(m_slow)) {
            qInfo("a frame of %s\n  in: %s\n  after: %s", qPrintable(frame), qPrintable(words),
                  qPrintable(m_step_before));
        }
        m_slow.clear();
        m_step_before = words;
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (m_is_painting) {
            if (event->type() == QEvent::Paint) {
                m_paints.push_back({watched, threadMs()});
            }
            return false;
        }
        if (event->type() != QEvent::UpdateRequest || !watched->isWidgetType()) {
            return false;
        }
        m_is_painting = true;
        m_paints.clear();
        const double before = threadMs();
        watched->event(event);
        const double after = threadMs();
        m_is_painting = false;
        ++m_count;
        m_longest = std::max(m_longest, after - before);
        if (after - before > kVisible) {
            ++m_visible;
            m_slow << describe(after - before, after);
        }
        return true;
    }
    void print() const
    {
        qInfo("%d frames, %d of them above %.0f ms of processor time, the longest %.0f ms", m_count,
              m_visible, kVisible, m_longest);
    }

private:
    struct Paint {
        QObject* widget = nullptr;
        double began = 0;
    };
    // A widget's children are painted after it, so what lies between two of them is the first one's
    // own.
    [[nodiscard]] QString describe(double spent, double after) const
    {
        constexpr double kWorthSaying = 2;
        QString text =
            QStringLiteral("%1 ms, %2 widgets").arg(spent, 0, 'f', 0).arg(m_paints.size());
        for (std::size_t i = 0; i < m_paints.size(); ++i) {
            const double ended = i + 1 < m_paints.size() ? m_paints[i + 1].began : after;
            const double own = ended - m_paints[i].began;
            const auto* widget = qobject_cast<QWidget*>(m_paints[i].widget);
            if (own > kWorthSaying && widget != nullptr) {
                text +=
                    QStringLiteral("\n  %1 ms: %2 %3, %4 x %5")
                        .arg(own, 0, 'f', 0)
                        .arg(QLatin1String(widget->metaObject()->className()), widget->objectName())
                        .arg(widget->width())
                        .arg(widget->height());
            }
        }
        return text;
    }

    QStringList m_slow;
    QString m_step_before;
    std::vector<Paint> m_paints;
    double m_longest = 0;
    int m_count = 0;
    int m_visible = 0;
    bool m_is_painting = false;
};

} // namespace tidemark::test
