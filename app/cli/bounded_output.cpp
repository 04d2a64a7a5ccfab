// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/bounded_output.h"

#include "app/cli/session.h"
#include "core/report/bounded_json.h"

#include <string_view>

namespace tidemark::cli {

BoundedOutput::BoundedOutput(std::ostream& out, std::size_t most)
    : m_out(out)
    , m_former(out.rdbuf())
    , m_most(most)
{
    if (most > 0) {
        out.rdbuf(this);
    }
}

BoundedOutput::~BoundedOutput()
{
    if (m_most > 0) {
        const std::ios_base::iostate state = m_out.rdstate();
        m_out.rdbuf(m_former); // Clears the state.
        m_out.clear(state);
    }
}

BoundedOutput::int_type BoundedOutput::overflow(int_type c)
{
    const char one = traits_type::to_char_type(c);
    return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&one, 1) == 1
        ? traits_type::not_eof(c)
        : traits_type::eof();
}

std::streamsize BoundedOutput::xsputn(const char* text, std::streamsize length)
{
    const std::string_view all(text, static_cast<std::size_t>(length));
    std::size_t begin = 0;
    for (std::size_t end = all.find('\n'); end != std::string_view::npos;
         end = all.find('\n', begin)) {
        m_line += all.substr(begin, end + 1 - begin);
        begin = end + 1;
        writeLine();
    }
    m_line += all.substr(begin);
    return m_lost ? 0 : length;
}

int BoundedOutput::sync()
{
    return m_lost || m_former->pubsync() != 0 ? -1 : 0;
}

void BoundedOutput::writeLine()
{
    const Result<std::string> line = report::boundedJson(m_line, m_most);
    if (line.has_value()) {
        const auto length = static_cast<std::streamsize>(line.value().size());
        m_lost = m_former->sputn(line.value().data(), length) != length || m_lost;
    } else {
        m_failed = true;
        m_former->pubsync();
        printError("", line.error().message);
    }
    m_line.clear();
}

} // namespace tidemark::cli
