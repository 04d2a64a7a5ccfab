// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/json.h"

#include <iosfwd>
#include <string_view>

namespace tidemark::report {

/// Writes `{"file": …, "devices": [{…, ROWS: [row, …]}, …]}` and the corrections behind it, a row
/// at a time: lists may have a row per allocation, so that all of them at once are many times the
/// file. One line; flushes nothing.
class DeviceRowsWriter {
public:
    /// `rows`: the key of the rows.
    DeviceRowsWriter(std::ostream& out, const diagnose::Analysis& analysis, std::string_view rows);

    /// `head`: what an object of the list begins with; has at least one entry.
    void beginDevice(const Json& head);
    void row(const Json& row);
    void endDevice();
    void finish();

private:
    std::ostream& m_out;
    const diagnose::Analysis& m_analysis;
    std::string_view m_rows;
    bool m_has_device = false;
    bool m_has_row = false;
};

} // namespace tidemark::report
