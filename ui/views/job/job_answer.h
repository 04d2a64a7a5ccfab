// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"

#include <QtWidgets/QFrame>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

class QHBoxLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace tidemark::ui {

class ElidedLabel;

/// The answer about a job: the first sentence large, then what explains it; how many ranks there
/// are and what is to be noted; the two ranks to look at.
class JobAnswer : public QFrame {
    Q_OBJECT
public:
    static constexpr std::size_t kShown = 3; ///< Sentences, with the large one.
    explicit JobAnswer(QWidget* parent = nullptr);

    void setJob(const std::shared_ptr<const job::Job>& job);
    /// How far reading is, 0 to 1; nullopt: it has ended.
    void setReading(std::optional<double> fraction, std::size_t dumps);

Q_SIGNALS:
    void openRequested(std::size_t row);
    void compareRequested(std::size_t row, std::size_t against);
    void stopRequested();

private:
    void addSentences();
    void refreshLinks();
    [[nodiscard]] QString quietWords() const;

    std::shared_ptr<const job::Job> m_job;
    std::optional<std::pair<std::size_t, std::size_t>> m_pair; ///< To be compared.
    QVBoxLayout* m_column;
    QLabel* m_headline;
    QVBoxLayout* m_sentences;
    ElidedLabel* m_quiet;
    QToolButton* m_compare;
    QToolButton* m_open;
    QLabel* m_reading;
    QToolButton* m_stop;
};

} // namespace tidemark::ui
