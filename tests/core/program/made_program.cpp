// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/program/made_program.h"

#include <utility>

namespace tidemark::test {
namespace {

using program::Usage;

/// One transformer while it runs.
class Decoder {
public:
    Decoder(const MadeShape& shape, MadeProgram& program)
        : m_shape(shape)
        , m_program(program)
        , m_tokens(shape.batch * shape.sequence)
    {
        weight(shape.vocabulary * shape.hidden, !shape.frozen_embedding);
        if (shape.positions > 0) {
            weight(shape.positions * shape.hidden);
        }
        for (std::int64_t i = 0; i < shape.layers; ++i) {
            weight(shape.hidden);
            for (int matrix = 0; matrix < 4; ++matrix) {
                weight(shape.hidden * shape.hidden);
            }
            weight(shape.hidden);
            weight(shape.feed_forward * shape.hidden);
            weight(shape.hidden * shape.feed_forward);
        }
        weight(shape.hidden);
        if (shape.has_head) {
            weight(shape.vocabulary * shape.hidden);
        }
        if (shape.has_buffers) {
            const std::int64_t half = shape.hidden / shape.heads / 2;
            for (const std::int64_t elements :
                 {shape.sequence * half, shape.sequence * half, half,
                  shape.sequence * shape.sequence, shape.sequence * 2, std::int64_t{2}}) {
                weight(elements, false);
            }
        }
    }

    void step(bool is_first)
    {
        const std::size_t ids = m_program.make(m_tokens * 8, Usage::input);
        forward();
        if (m_shape.trains) {
            backward();
            optimize(is_first);
        }
        m_program.free(ids);
    }

private:
    void weight(std::int64_t elements, bool is_trained = true)
    {
        m_program.before(elements * 4, Usage::weight);
        if (is_trained) {
            m_trained.push_back(elements);
        }
    }
    /// Float32 for the backward pass; where there is none, gone at once.
    void save(std::int64_t elements)
    {
        if (m_shape.trains) {
            m_saved.push_back(m_program.make(elements * 4, Usage::saved));
        } else {
            m_program.scratch(elements * 4);
        }
    }

    void forward()
    {
        const std::int64_t rows = m_tokens * m_shape.hidden;
        const std::int64_t wide = m_tokens * m_shape.feed_forward;
        const std::int64_t scores = m_tokens * m_shape.sequence * m_shape.heads;
        save(rows);
        for (std::int64_t i = 0; i < m_shape.layers; ++i) {
            save(m_tokens);
            save(rows);
            for (int matrix = 0; matrix < 3; ++matrix) {
                save(rows);
            }
            const std::size_t positions = m_program.make(m_shape.sequence * 8, Usage::scratch);
            const std::size_t mask =
                m_program.make(m_shape.sequence * m_shape.sequence, Usage::scratch);
            m_program.free(positions);
            m_program.scratch(scores * 4);
            m_program.free(mask);
            save(m_tokens * m_shape.heads);
            save(scores);
            save(rows);
            m_program.scratch(rows * 4);
            save(m_tokens);
            save(rows);
            save(wide);
            save(wide);
            if (m_shape.casts) {
                m_program.scratch(wide * 2);
            }
            m_program.scratch(rows * 4);
        }
        save(m_tokens);
        save(rows);
        if (m_shape.has_head) {
            save(m_tokens * m_shape.vocabulary);
        }
    }

    void backward()
    {
        while (!m_saved.empty()) {
            m_program.scratch(m_tokens * m_shape.hidden * 4);
            m_program.free(m_saved.back());
            m_saved.pop_back();
        }
        for (const std::int64_t elements : m_trained) {
            m_gradients.push_back(m_program.make(elements * 4, Usage::gradient));
        }
    }

    void optimize(bool is_first)
    {
        for (const std::int64_t elements : m_trained) {
            if (is_first) {
                m_program.make(elements * 4, Usage::state);
                m_program.make(elements * 4, Usage::state);
            }
            m_program.scratch(elements * 4);
        }
        for (const std::size_t gradient : std::exchange(m_gradients, {})) {
            m_program.free(gradient);
        }
    }

    const MadeShape& m_shape;
    MadeProgram& m_program;
    std::int64_t m_tokens;
    std::vector<std::int64_t> m_trained;
    std::vector<std::size_t> m_saved;
    std::vector<std::size_t> m_gradients;
};

} // namespace

std::size_t MadeProgram::add(std::int64_t bytes, Usage kind)
{
    m_lives.push_back({bytes, m_state, 0});
    evidence.kind.push_back(kind);
    return m_lives.size() - 1;
}

std::size_t MadeProgram::before(std::int64_t bytes, Usage kind)
{
    return add(bytes, kind);
}

std::size_t MadeProgram::make(std::int64_t bytes, Usage kind)
{
    ++m_state;
    return add(bytes, kind);
}

void MadeProgram::free(std::size_t allocation)
{
    m_lives[allocation].end = ++m_state;
}

void MadeProgram::scratch(std::int64_t bytes)
{
    free(make(bytes, Usage::scratch));
}

replay::DeviceReplay MadeProgram::replay() const
{
    replay::DeviceReplay replay;
    replay.active.assign(m_state + 1, 0);
    for (const Life& life : m_lives) {
        replay.allocations.address.push_back(0);
        replay.allocations.requested.push_back({life.bytes});
        replay.allocations.begin.push_back({life.begin});
        replay.allocations.end.push_back({life.end == 0 ? m_state + 1 : life.end});
    }
    return replay;
}

MadeProgram madeTransformer(const MadeShape& shape)
{
    MadeProgram program;
    Decoder decoder(shape, program);
    for (int step = 0; step < shape.steps; ++step) {
        decoder.step(step == 0);
    }
    return program;
}

} // namespace tidemark::test
