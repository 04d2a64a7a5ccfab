// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>

namespace tidemark::cli {

/// Takes the place of a stream's buffer while a command prints JSON, a line per answer: each goes
/// on in at most `most` bytes (see `report::boundedJson`). One that cannot is left out and said on
/// standard error.
class BoundedOutput final : public std::streambuf {
public:
    /// `most` 0: everything goes on as it is. `out` outlives this.
    BoundedOutput(std::ostream& out, std::size_t most);
    ~BoundedOutput() override;
    BoundedOutput(const BoundedOutput&) = delete;
    BoundedOutput& operator=(const BoundedOutput&) = delete;
    /// Whether an answer was left out.
    [[nodiscard]] bool hasFailed() const
    {
        return m_failed;
    }

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize length) override;
    int sync() override;

private:
    void writeLine();

    std::ostream& m_out;
    std::streambuf* m_former;
    std::size_t m_most;
    std::string m_line;
    bool m_failed = false;
    bool m_lost = false;
};

} // namespace tidemark::cli
