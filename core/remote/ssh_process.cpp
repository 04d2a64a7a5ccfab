// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/ssh_process.h"

#include "core/base/language.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

extern char** environ; // POSIX declares it nowhere

namespace tidemark::remote {
namespace {

constexpr std::chrono::milliseconds kLookAgain{100}; ///< Between two looks at the stop.
constexpr std::size_t kMostComplaints = 4096;
constexpr std::chrono::milliseconds kToEnd{2000}; ///< What a program has after SIGTERM.

/// Both ends of a pipe or socket; those that are left are closed.
struct Ends {
    std::array<int, 2> fds{-1, -1};

    Ends() = default;
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    ~Ends()
    {
        for (const int fd : fds) {
            if (fd >= 0) {
                ::close(fd);
            }
        }
    }
    int release(std::size_t end)
    {
        return std::exchange(fds[end], -1);
    }
};

Error cannotStart(const std::string& program, int error)
{
    if (error == ENOENT) {
        return {ErrorCode::cannotOpen,
                say("{} is not installed; install the OpenSSH client.", program),
                {}};
    }
    return {ErrorCode::cannotOpen,
            say("Cannot start {} ({}).", program, std::generic_category().message(error)),
            {}};
}

/// Whether `child` ended, waited for until `end`; `status` is then what it ended with.
bool endedBy(pid_t child, std::chrono::steady_clock::time_point end, int& status)
{
    constexpr std::chrono::milliseconds kBetweenLooks{5};
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) {
            return true;
        }
        if (std::chrono::steady_clock::now() >= end) {
            return false;
        }
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

/// A socket rather than a pipe: writing to one that nobody reads is an error there, no signal.
void feed(int socket, std::string_view script)
{
    while (!script.empty()) {
        const ssize_t sent = ::send(socket, script.data(), script.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return; // It ended already, and its complaint says why.
        }
        script.remove_prefix(static_cast<std::size_t>(sent));
    }
}

} // namespace

SshProcess::SshProcess(pid_t child, int output, int errors)
    : m_child(child)
    , m_output(output)
    , m_errors(errors)
{
}

SshProcess::~SshProcess()
{
    ::close(m_output);
    ::close(m_errors);
    if (m_child > 0) {
        stopChild();
    }
}

/// Ends in any case: a program that the system does not let go of (its file server is gone) stays
/// behind.
int SshProcess::stopChild()
{
    int status = SIGKILL;
    for (const int signal : {SIGTERM, SIGKILL}) {
        ::kill(m_child, signal);
        if (endedBy(m_child, std::chrono::steady_clock::now() + kToEnd, status)) {
            break;
        }
    }
    m_child = -1;
    return status;
}

Result<std::unique_ptr<SshProcess>> SshProcess::start(const std::vector<std::string>& arguments,
                                                      std::string_view script, bool has_terminal)
{
    Ends input;
    Ends output;
    Ends errors;
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input.fds.data()) != 0
        || ::pipe2(output.fds.data(), O_CLOEXEC) != 0
        || ::pipe2(errors.fds.data(), O_CLOEXEC) != 0) {
        return cannotStart(arguments[0], errno);
    }
    ::fcntl(errors.fds[0], F_SETFL, O_NONBLOCK);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str())); // not written to
    }
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input.fds[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.fds[1], STDERR_FILENO);
    if (!has_terminal) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    }
    pid_t child = -1;
    const int failed = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
        return cannotStart(arguments[0], failed);
    }
    std::unique_ptr<SshProcess> process(
        new SshProcess(child, output.release(0), errors.release(0)));
    ::close(input.release(1)); // The child has its own.
    feed(input.fds[0], script);
    ::shutdown(input.fds[0], SHUT_WR);
    return process;
}

void SshProcess::takeComplaints()
{
    std::array<char, 1024> bytes{};
    ssize_t count = 0;
    while ((count = ::read(m_errors, bytes.data(), bytes.size())) > 0) {
        m_complaints.append(bytes.data(), static_cast<std::size_t>(count));
        if (m_complaints.size() > kMostComplaints) {
            m_complaints.erase(0, m_complaints.size() - kMostComplaints);
        }
    }
}

Result<std::size_t> SshProcess::read(std::span<char> target, const std::stop_token& stop)
{
    for (;;) {
        if (stop.stop_requested()) {
            return Error{ErrorCode::cancelled, say("Fetching the file was cancelled."), {}};
        }
        pollfd waiting{m_output, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(kLookAgain.count()));
        takeComplaints(); // Or a talkative child would wait for ever with a full pipe.
        if (ready <= 0) {
            continue;
        }
        const ssize_t count = ::read(m_output, target.data(), target.size());
        if (count >= 0) {
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR) {
            return Error{ErrorCode::cannotOpen,
                         say("The connection failed ({}).", std::generic_category().message(errno)),
                         {}};
        }
    }
}

int SshProcess::wait(const std::stop_token& stop)
{
    int status = 0;
    while (!endedBy(m_child, std::chrono::steady_clock::now() + kLookAgain, status)) {
        takeComplaints();
        if (stop.stop_requested()) {
            status = stopChild();
            break;
        }
    }
    m_child = -1;
    takeComplaints();
    constexpr int kSignalled = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

} // namespace tidemark::remote
