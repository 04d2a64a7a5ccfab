// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/change.h"

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <optional>
#include <span>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QSlider;
class QSpinBox;

namespace tidemark::ui {

/// One change to the run as a control with its name: none while it stands as recorded.
class ChangeControl : public QWidget {
    Q_OBJECT
public:
    /// `id` is the object name; controls that exclude each other come with their own ids.
    ChangeControl(const QString& id, const QString& name, const QString& tip, QWidget* parent);

    [[nodiscard]] virtual std::optional<diagnose::Change> change() const = 0;
    /// Takes the first of these that it can show, else it stands as recorded; says nothing of it.
    void setChanges(std::span<const diagnose::Change> changes);
    /// Examples of all it can say, with what must be said beside them, by which it is found out
    /// whether it alters anything here.
    [[nodiscard]] virtual std::vector<std::vector<diagnose::Change>> samples() const = 0;
    /// One per sample. Where none has an effect it cannot be used, for a reason that is its tip.
    virtual void setEffects(const std::vector<bool>& effects, const QString& reason);
    void setUsable(bool usable, const QString& reason);
    [[nodiscard]] const QString& id() const
    {
        return m_id;
    }

Q_SIGNALS:
    void changed(); ///< By a person.

protected:
    /// True if it can show the change; nullopt stands for as recorded.
    virtual bool display(const std::optional<diagnose::Change>& change) = 0;
    /// Puts editors beside the name; the first takes the focus of its mnemonic.
    void addEditors(const std::vector<QWidget*>& editors);

private:
    void refreshUse();

    QString m_id;
    QString m_tip;
    QString m_reason; ///< Why it cannot be used; empty while it can.
    QLabel* m_name;
};

/// A ratio to the recorded run: a slider in octaves, and a box for any other figure. Where it is
/// known of how many, the slider has one step for each whole number.
class RatioControl : public ChangeControl {
    Q_OBJECT
public:
    RatioControl(diagnose::ChangeKind kind, const QString& id, const QString& name,
                 const QString& tip, QWidget* parent);
    [[nodiscard]] std::optional<diagnose::Change> change() const override;
    [[nodiscard]] std::vector<std::vector<diagnose::Change>> samples() const override;
    /// How many the recorded run has; nullopt: not known.
    void setRecorded(std::optional<std::int64_t> count);

protected:
    bool display(const std::optional<diagnose::Change>& change) override;

private:
    [[nodiscard]] double ratioAt(int place) const;
    [[nodiscard]] int placeOf(double ratio) const;
    void showCount();

    diagnose::ChangeKind m_kind;
    std::optional<std::int64_t> m_recorded;
    QSlider* m_slider;
    QDoubleSpinBox* m_box;
    double m_exact = 1; ///< What the box shows rounded.
};

/// A whole number, and the layers that it is for; 0 stands for as recorded and is shown as `off`.
class CountControl : public ChangeControl {
    Q_OBJECT
public:
    struct Range {
        int largest = 1;
        int sample = 1; ///< A usual number.
        bool takes_layers = false; ///< Names of layers, too.
    };
    CountControl(diagnose::ChangeKind kind, const QString& id, const QString& name,
                 const QString& tip, Range range, const QString& off, QWidget* parent);
    [[nodiscard]] std::optional<diagnose::Change> change() const override;
    [[nodiscard]] std::vector<std::vector<diagnose::Change>> samples() const override;

protected:
    bool display(const std::optional<diagnose::Change>& change) override;

private:
    diagnose::ChangeKind m_kind;
    int m_sample;
    QSpinBox* m_box;
    QLineEdit* m_layers; ///< Null where it takes none.
};

/// One of several words, or stages; the first entry stands for as recorded.
class ChoiceControl : public ChangeControl {
    Q_OBJECT
public:
    using Choices = std::vector<std::pair<diagnose::Change, QString>>;
    /// `beside`: what the samples need to have an effect.
    ChoiceControl(const QString& id, const QString& name, const QString& tip, Choices choices,
                  QWidget* parent, std::vector<diagnose::Change> beside = {});
    [[nodiscard]] std::optional<diagnose::Change> change() const override;
    [[nodiscard]] std::vector<std::vector<diagnose::Change>> samples() const override;
    void setEffects(const std::vector<bool>& effects, const QString& reason) override;

protected:
    bool display(const std::optional<diagnose::Change>& change) override;

private:
    Choices m_choices;
    std::vector<diagnose::Change> m_beside;
    QComboBox* m_box;
};

/// On or as recorded.
class SwitchControl : public ChangeControl {
    Q_OBJECT
public:
    SwitchControl(diagnose::Change change, const QString& id, const QString& name,
                  const QString& tip, QWidget* parent);
    [[nodiscard]] std::optional<diagnose::Change> change() const override;
    [[nodiscard]] std::vector<std::vector<diagnose::Change>> samples() const override;

protected:
    bool display(const std::optional<diagnose::Change>& change) override;

private:
    diagnose::Change m_change;
    QCheckBox* m_box;
};

} // namespace tidemark::ui
