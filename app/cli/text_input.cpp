// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/text_input.h"

#include "app/cli/remote_input.h"
#include "core/base/language.h"
#include "core/reader/log_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemark::cli {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

/// 0, or why nothing more can be read. Of NULs that it begins with, few are kept.
int readAll(int fd, std::string& bytes)
{
    std::size_t dropped = 0;
    while (bytes.size() + kBlock <= kMostTextBytes) { // Or the text would grow to twice that.
        const std::size_t filled = bytes.size();
        bytes.resize(filled + kBlock);
        const ssize_t got = ::read(fd, bytes.data() + filled, kBlock);
        const int error = got < 0 ? errno : 0;
        bytes.resize(filled + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got == 0 || (error != 0 && error != EINTR)) {
            return error;
        }
        if (bytes.size() > reader::kLogHead && bytes.find_first_not_of('\0') == std::string::npos) {
            dropped += bytes.size() - reader::kLogHead;
            bytes.resize(reader::kLogHead - 1);
            if (dropped > kMostTextBytes) {
                return 0; // From /dev/zero nothing else comes.
            }
            continue;
        }
        if (filled < reader::kLogHead && bytes.size() >= reader::kLogHead
            && reader::beginsAsNoLog(bytes)) {
            return 0; // Whoever reads it says so, and need not wait for the end of /dev/zero.
        }
    }
    return EFBIG;
}

} // namespace

Result<std::string> readTextInput(const std::string& name)
{
    const bool is_standard = name == "-";
    const std::string shown = is_standard ? say("The standard input") : say("The file '{}'", name);
    LocalInput input{name};
    if (!is_standard) {
        Result<LocalInput> here = localInput(name);
        if (!here.has_value()) {
            return Error{here.error().code, shown + ": " + here.error().message, {}};
        }
        input = std::move(here).value();
    }
    const int fd = is_standard ? STDIN_FILENO : ::open(input.file.c_str(), O_RDONLY | O_CLOEXEC);
    std::string bytes;
    const int error = fd < 0 ? errno : readAll(fd, bytes);
    if (!is_standard && fd >= 0) {
        ::close(fd);
    }
    if (error == EFBIG) {
        return Error{ErrorCode::badArgument,
                     say("{} is longer than {} GiB; give the part with the message.", shown,
                         kMostTextBytes >> 30U),
                     {}};
    }
    if (error != 0) {
        return Error{ErrorCode::badArgument,
                     say("{} cannot be read ({}).", shown, std::generic_category().message(error)),
                     {}};
    }
    return bytes;
}

void keepStandardStreams()
{
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            // The lowest free number, which is this one; the other way round than it is used.
            ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); // inherited
        }
    }
}

} // namespace tidemark::cli
