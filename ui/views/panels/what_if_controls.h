// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/panels/change_controls.h"

#include <vector>

namespace tidemark::ui {

/// The GPUs that share where nobody says how many.
[[nodiscard]] diagnose::Change usualGpus();

struct ControlGroup {
    QString title;
    std::vector<ChangeControl*> controls;
};
/// A control for every change of `tidemark-cli predict --apply`, children of `parent` until they
/// are laid out.
[[nodiscard]] std::vector<ControlGroup> makeControlGroups(QWidget* parent);

/// What a run has nothing of in which changes of this kind would alter nothing.
[[nodiscard]] QString whyNoEffect(diagnose::ChangeKind kind);

} // namespace tidemark::ui
