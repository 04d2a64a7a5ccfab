// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/plan/plan.h"
#include "core/walk/timeline.h"
#include "ui/models/newest_job.h"
#include "ui/views/dialogs/plan_curve.h"

#include <QtWidgets/QDialog>

#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QPushButton;
class QSpinBox;
class QTextBrowser;

namespace tidemark::ui {

/// The peak of a training run before it is made: a form with the budget beside it, which follows
/// what is typed.
class PlanDialog : public QDialog {
    Q_OBJECT
public:
    explicit PlanDialog(QWidget* parent = nullptr);

    /// The recording that a plan can be shown beside.
    void setRecording(const QString& name, const diagnose::Analysis& recording);

Q_SIGNALS:
    void answered(); ///< What is shown belongs to the form.
    /// The planned run is to be shown as a timeline.
    void timelineRequested(const tidemark::plan::Question& question, const QString& name);

private:
    /// What a run comes to, or why it cannot be planned.
    struct Answer {
        QString page; ///< Markdown.
        std::vector<walk::PlannedPoint> curve;
        std::optional<Bytes> capacity;
    };
    QLayout* modelRow();
    QLayout* batchRow();
    QLayout* gpuRow();
    QLayout* offloadRow();
    QLayout* divisionRow(); ///< How many GPUs share one model, and in which way.
    void makeModelList();
    [[nodiscard]] QString modelName() const;
    void chooseConfig();
    void answer();
    [[nodiscard]] const walk::ModelShape& model() const;
    [[nodiscard]] Result<plan::Question> question() const;
    [[nodiscard]] static Answer answerTo(const plan::Question& question, const std::string& name,
                                         const std::optional<diagnose::Analysis>& recording);
    void showAnswer(const Answer& answer);

    QComboBox* m_model;
    QSpinBox* m_batch;
    QSpinBox* m_sequence;
    QSpinBox* m_accumulation;
    QComboBox* m_precision;
    QComboBox* m_optimizer;
    QComboBox* m_attention;
    QSpinBox* m_rank; ///< Of LoRA's adapters; 0: all weights are trained.
    QCheckBox* m_checkpoints;
    QCheckBox* m_fuses_loss;
    QCheckBox* m_is_padded;
    QCheckBox* m_is_own; ///< What libraries do in one call is written out.
    QSpinBox* m_gpus;
    QSpinBox* m_zero;
    QComboBox* m_quantization;
    QComboBox* m_states; ///< Where those of the optimizer lie,
    QComboBox* m_weights; ///< and the weights.
    QSpinBox* m_tensor;
    QSpinBox* m_pipeline;
    QSpinBox* m_context;
    QSpinBox* m_experts;
    QCheckBox* m_divides_tokens;
    QComboBox* m_card;
    QCheckBox* m_beside; ///< The recording.
    QPushButton* m_timeline;
    PlanCurve* m_curve;
    QTextBrowser* m_answer;
    std::optional<walk::ModelShape> m_own; ///< Of a config.json that was chosen,
    QString m_own_name; ///< and its file's name.
    std::optional<diagnose::Analysis> m_recording;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
