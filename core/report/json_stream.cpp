// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/json_stream.h"

#include "core/report/corrections_report.h"
#include "core/report/json_parts.h"

#include <ostream>

namespace tidemark::report {

DeviceRowsWriter::DeviceRowsWriter(std::ostream& out, const diagnose::Analysis& analysis,
                                   std::string_view rows)
    : m_out(out)
    , m_analysis(analysis)
    , m_rows(rows)
{
    m_out << R"({"file":)" << toString(fileJson(analysis)) << R"(,"devices":[)";
}

void DeviceRowsWriter::beginDevice(const Json& head)
{
    std::string object = toString(head);
    object.pop_back(); // Its closing brace: the rows belong inside.
    m_out << (m_has_device ? "," : "") << object << ",\"" << m_rows << "\":[";
    m_has_device = true;
    m_has_row = false;
}

void DeviceRowsWriter::row(const Json& row)
{
    m_out << (m_has_row ? "," : "") << toString(row);
    m_has_row = true;
}

void DeviceRowsWriter::endDevice()
{
    m_out << "]}";
}

void DeviceRowsWriter::finish()
{
    m_out << ']';
    if (const Json corrections = correctionsJson(m_analysis); !corrections.empty()) {
        m_out << R"(,"corrections":)" << toString(corrections);
    }
    m_out << "}\n";
}

} // namespace tidemark::report
