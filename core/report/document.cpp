// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/document.h"

namespace tidemark::report {

Table factTable(std::vector<std::vector<std::string>> rows)
{
    return {{{"", Align::left}, {"", Align::left}}, std::move(rows), {}};
}

} // namespace tidemark::report
