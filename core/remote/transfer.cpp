// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/transfer.h"

#include "core/base/language.h"

#include <new>
#include <utility>

namespace tidemark::remote {
namespace {

Result<Fetched> fetched(const Address& address, const FetchOptions& options,
                        const std::stop_token& stop)
{
    try {
        return fetch(address, options, stop);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::outOfMemory,
                     say("Not enough free memory to open the file; close other programs or use a "
                         "larger machine."),
                     {}};
    }
}

} // namespace

Transfer::Transfer(const Address& address, FetchOptions options)
    : m_thread([this, address, fetching = std::move(options)](const std::stop_token& stop) mutable {
        run(address, std::move(fetching), stop);
    })
{
}

Transfer::~Transfer() = default;

void Transfer::run(const Address& address, FetchOptions options, const std::stop_token& stop)
{
    options.progress = [this, told = std::move(options.progress)](const Received& received) {
        see(received);
        if (told) {
            told(received);
        }
    };
    Result<Fetched> result = fetched(address, options, stop);
    options = {}; // Whoever told of the progress is gone before the end is known.
    const std::scoped_lock lock(m_mutex);
    m_result.emplace(std::move(result));
    if (m_file != nullptr) {
        m_file->end();
    }
    m_changed.notify_all();
}

void Transfer::see(const Received& received)
{
    const std::scoped_lock lock(m_mutex);
    if (m_file != nullptr) {
        m_file->grow();
    } else if (!received.so_far.empty()) {
        m_file = std::make_shared<GrowingFile>(received.so_far, received.size);
        m_copy = received.copy;
        m_changed.notify_all();
    }
}

std::optional<OnTheWay> Transfer::onTheWay()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_file != nullptr || m_result.has_value(); });
    if (m_file == nullptr || m_result.has_value()) {
        return {};
    }
    return OnTheWay{m_copy, m_file};
}

void Transfer::cancel()
{
    m_thread.request_stop();
}

const Result<Fetched>& Transfer::result()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_result.has_value(); });
    return *m_result;
}

} // namespace tidemark::remote
