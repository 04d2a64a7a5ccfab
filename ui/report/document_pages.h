// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/document.h"
#include "ui/report/page_flow.h"

#include <functional>
#include <stop_token>

namespace tidemark::ui::report {

/// Places the picture of a figure on the pages; false where there is none, so that its sentence
/// stands there.
using PlaceFigure = std::function<bool(PageFlow&, const tidemark::report::Figure&)>;

/// Lays a document out on pages: its title, and its sections with a bookmark each. A lead and the
/// paragraphs under it are a card; two columns without titles stand twice beside each other. Stops
/// between sections on request.
void addDocument(PageFlow& flow, const tidemark::report::Document& document,
                 const PlaceFigure& placeFigure, const std::stop_token& stop = {});

} // namespace tidemark::ui::report
