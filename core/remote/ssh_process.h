// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::remote {

/// A program that is fed a script and whose output is read as it comes: the system's ssh. No shell
/// of this machine is involved. It ends with this object: asked to, and 2 s later made to.
class SshProcess {
public:
    /// Starts `arguments[0]`, looked up in PATH. `has_terminal`: it may ask questions there (the
    /// passphrase of a key); otherwise it has none, and asks through SSH_ASKPASS or fails. `script`
    /// is what it reads, at most 64 KiB. Error: cannotOpen.
    static Result<std::unique_ptr<SshProcess>> start(const std::vector<std::string>& arguments,
                                                     std::string_view script, bool has_terminal);
    SshProcess(const SshProcess&) = delete;
    SshProcess& operator=(const SshProcess&) = delete;
    ~SshProcess();

    /// The next bytes of its output; 0 at the end. Errors: cancelled (within 0.1 s), cannotOpen.
    Result<std::size_t> read(std::span<char> target, const std::stop_token& stop);
    /// Waits for its end after the output ended; a stop ends it. Its exit code; 128 + n: signal n
    /// ended it.
    int wait(const std::stop_token& stop);
    /// The last lines that it wrote to standard error so far, at most 4 KiB.
    [[nodiscard]] const std::string& complaints() const
    {
        return m_complaints;
    }

private:
    SshProcess(pid_t child, int output, int errors);
    void takeComplaints();
    int stopChild();

    pid_t m_child;
    int m_output;
    int m_errors;
    std::string m_complaints;
};

} // namespace tidemark::remote
