// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

// Precompiled: what most views include. It brings nothing that a file does not include itself.
#include "ui/views/look/qcp.h"

#include <QtWidgets/QtWidgets>

#include <functional>
#include <map>
#include <memory>
#include <vector>
