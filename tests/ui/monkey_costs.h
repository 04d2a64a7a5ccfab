// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <malloc.h>

#include <QtCore/QEvent>
#include <QtCore/QFile>
#include <QtCore/QObject>
#include <QtWidgets/QWidget>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <map>

namespace tidemark::test {

/// Processor time of a step, repainting included, above which it is named: it can be seen.
inline constexpr double kVisible = 100;
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

/// How long the window takes to paint what has changed: one frame.
class Frames : public QObject {
public:
    explicit Frames(QWidget& window)
    {
        window.installEventFilter(this);
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::UpdateRequest || m_is_painting) {
            return false;
        }
        m_is_painting = true;
        const double before = threadMs();
        watched->event(event);
        const double spent = threadMs() - before;
        m_is_painting = false;
        ++m_count;
        m_visible += spent > kVisible ? 1 : 0;
        m_longest = std::max(m_longest, spent);
        return true;
    }
    void print() const
    {
        qInfo("%d frames, %d of them above %.0f ms of processor time, the longest %.0f ms", m_count,
              m_visible, kVisible, m_longest);
    }

private:
    double m_longest = 0;
    int m_count = 0;
    int m_visible = 0;
    bool m_is_painting = false;
};

} // namespace tidemark::test
