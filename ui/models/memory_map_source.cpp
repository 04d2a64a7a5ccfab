// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/memory_map_source.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tidemark::ui {
namespace {

std::shared_ptr<const MemoryScene> sceneOf(const diagnose::Analysis& analysis, std::size_t device,
                                           StateId state)
{
    try {
        auto scene = std::make_shared<MemoryScene>();
        scene->snapshot = analysis.snapshot;
        scene->device = device;
        scene->memory = replay::memoryStateAt(analysis.replay->devices[device],
                                              (*analysis.block_sizes)[device], state);
        scene->layout = projection::layoutMemoryMap(scene->memory);
        scene->fragmentation = replay::fragmentationOf(scene->memory);
        scene->is_exact =
            std::ranges::all_of(scene->memory.blocks, &replay::BlockInState::is_exact);
        return scene;
    } catch (const std::bad_alloc&) {
        return nullptr; // What is shown stays; there is no memory for another state.
    }
}

} // namespace

MemoryMapSource::MemoryMapSource(QObject* parent)
    : QObject(parent)
    , m_job(std::make_unique<Job>())
{
}

MemoryMapSource::~MemoryMapSource()
{
    m_job.reset();
}

void MemoryMapSource::request(const diagnose::Analysis& analysis, std::size_t device, StateId state)
{
    Request request{analysis, device, state};
    if (m_is_busy) {
        m_next = std::move(request);
    } else {
        start(std::move(request));
    }
}

void MemoryMapSource::start(Request request)
{
    m_is_busy = true;
    m_job->start([this, round = m_round, request = std::move(request)](const std::stop_token&) {
        const auto scene = sceneOf(request.analysis, request.device, request.state);
        QMetaObject::invokeMethod(
            this, [this, round, scene] { finish(round, scene); }, Qt::QueuedConnection);
    });
}

void MemoryMapSource::finish(std::uint64_t round, const std::shared_ptr<const MemoryScene>& scene)
{
    m_is_busy = false;
    if (m_next.has_value()) {
        start(*std::exchange(m_next, std::nullopt));
    }
    if (round == m_round && scene != nullptr) {
        Q_EMIT ready(scene);
    }
}

void MemoryMapSource::cancel()
{
    ++m_round;
    m_next.reset();
}

} // namespace tidemark::ui
