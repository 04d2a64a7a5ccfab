// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/compare/decoder_run.h"

#include "tests/core/diagnose/hand_run.h"

#include <deque>
#include <utility>
#include <vector>

namespace tidemark::test {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

class Decoder {
public:
    explicit Decoder(const DecoderOptions& options)
        : m_options(options)
        , m_run(options.reserved)
        , m_batch(options.batch)
        , m_tokens(options.batch * options.sequence)
        , m_width(options.is_autocast ? 2 : 4)
    {
        m_run.settings().conf = options.more;
    }

    diagnose::Analysis run()
    {
        m_run.phase(Phase::setup, 0);
        makeWeights();
        for (int step = 1; step <= m_options.steps; ++step) {
            const auto number = static_cast<std::uint32_t>(step);
            if (step == m_options.steps && m_options.last_batch > 0) {
                m_batch = m_options.last_batch;
                m_tokens = m_batch * m_options.sequence;
            }
            if (m_options.is_inference) {
                m_run.phase(Phase::inference, 0);
                forward();
                dropAllBut(0);
                continue;
            }
            passes(number);
            m_run.phase(Phase::optimizer, number);
            optimize(step == 1);
        }
        if (m_options.dies) {
            m_run.oom(m_options.reserved, 0, Bucket::activation, Role::none, stack("main", 3, ""));
        }
        return m_run.finish();
    }

private:
    [[nodiscard]] std::string stack(const std::string& function, int line,
                                    const std::string& operation) const
    {
        const std::string torch = "/usr/lib/python3/dist-packages/torch/nn/";
        std::string text;
        if (!operation.empty()) {
            text = operation + " " + torch + "functional.py:" + std::to_string(m_options.torch_line)
                + "; ";
        }
        text += function + " " + m_options.folder + m_options.file + ":"
            + std::to_string(m_options.line + line);
        text += "; _call_impl " + torch
            + "modules/module.py:" + std::to_string(m_options.torch_line + 1);
        if (m_options.caller != "main") {
            text += "; wrapped_func /usr/lib/python3/dist-packages/somelib/utils/deprecation.py:7";
        }
        text += "; " + m_options.caller + " " + m_options.folder
            + "train.py:" + std::to_string(m_options.line + 90);
        return text;
    }

    /// One forward and one backward after the other, the backward `in_flight` passes behind.
    void passes(std::uint32_t step)
    {
        for (int begun = 0, ended = 0; ended < m_options.micro_batches;) {
            if (begun < m_options.micro_batches && begun < ended + m_options.in_flight) {
                m_run.phase(Phase::forward, step);
                forward();
                m_waiting.push_back(std::exchange(m_saved, {}));
                ++begun;
            } else {
                m_run.phase(Phase::backward, step);
                m_saved = std::move(m_waiting.front());
                m_waiting.pop_front();
                backward(++ended == m_options.micro_batches);
            }
        }
    }

    void makeWeights()
    {
        const std::string load = stack("__init__", 0, "");
        const auto weight = [&](std::int64_t whole) {
            const std::int64_t elements = whole / m_options.shards;
            m_run.alloc(elements * 4, Bucket::parameter, Role::trainable, load);
            m_weights.push_back(elements);
        };
        weight(m_options.vocabulary * m_options.hidden);
        for (std::int64_t i = 0; i < m_options.layers; ++i) {
            weight(m_options.hidden);
            for (int matrix = 0; matrix < 4; ++matrix) {
                weight(m_options.hidden * m_options.hidden);
            }
            weight(m_options.hidden);
            weight(m_options.feed_forward * m_options.hidden);
            weight(m_options.feed_forward * m_options.hidden);
        }
        weight(m_options.hidden);
        if (m_options.gathered > 0) {
            m_run.alloc(m_options.gathered, Bucket::parameter, Role::none,
                        stack("full_tensor", 15, ""));
        }
    }

    void dropAllBut(std::size_t kept)
    {
        while (m_saved.size() > kept) {
            m_run.free(m_saved.front());
            m_saved.erase(m_saved.begin());
        }
    }
    /// Without a graph it lives until the operation behind the next one.
    void save(std::int64_t bytes, const std::string& at, Role role = Role::none)
    {
        if (m_options.is_inference) {
            m_saved.push_back(m_run.alloc(bytes, Bucket::temporary, role, at));
            dropAllBut(2);
            return;
        }
        m_saved.push_back(m_run.alloc(bytes, Bucket::activation, role, at));
    }
    void passing(std::int64_t bytes, const std::string& at)
    {
        m_run.free(m_run.alloc(bytes, Bucket::temporary, Role::none, at));
    }
    void linear(std::int64_t in, std::int64_t out, const std::string& at)
    {
        if (m_options.is_autocast) {
            save(in * out * 2, at, Role::weight_cast);
        }
        save(m_tokens * out * m_width, at);
    }

    void attention(int line)
    {
        const std::int64_t scores =
            m_batch * m_options.heads * m_options.sequence * m_options.sequence;
        if (m_options.is_fused) {
            save(m_tokens * m_options.heads * 4, stack("attend", line, "sdpa"));
            return;
        }
        passing(m_options.sequence * 8, stack("attend", line + 1, "arange"));
        passing(m_options.sequence * m_options.sequence, stack("attend", line + 1, "tril"));
        passing(scores * m_width, stack("attend", line, "matmul"));
        save(scores * 4, stack("attend", line + 2, "softmax"), Role::attention_matrix);
    }

    void forward()
    {
        const std::int64_t rows = m_tokens * m_options.hidden;
        save(m_tokens * 8, stack("main_batch", 80, ""));
        save(rows * 4, stack("embed", 1, "embedding"));
        for (std::int64_t i = 0; i < m_options.layers; ++i) {
            save(m_tokens * 4, stack("block", 2, "norm"));
            save(rows * 4, stack("block", 2, "norm"));
            for (int matrix = 0; matrix < 3; ++matrix) {
                linear(m_options.hidden, m_options.hidden, stack("attend", 3, "linear"));
            }
            attention(4);
            linear(m_options.hidden, m_options.hidden, stack("attend", 7, "linear"));
            save(m_tokens * 4, stack("block", 8, "norm"));
            save(rows * 4, stack("block", 8, "norm"));
            linear(m_options.hidden, m_options.feed_forward, stack("feed", 9, "linear"));
            save(m_tokens * m_options.feed_forward * m_width, stack("feed", 10, "gelu"));
            linear(m_options.feed_forward, m_options.hidden, stack("feed", 11, "linear"));
        }
        save(m_tokens * 4, stack("head", 12, "norm"));
        save(rows * 4, stack("head", 12, "norm"));
        save(m_tokens * m_options.vocabulary * 4, stack("head", 13, "linear"), Role::logits);
        if (m_options.kept_per_step > 0) {
            m_run.alloc(m_options.kept_per_step, Bucket::output, Role::none,
                        stack("keep", 14, "clone"));
        }
    }

    void backward(bool makes_gradients)
    {
        while (!m_saved.empty()) {
            passing(m_tokens * m_options.hidden * 4, "");
            m_run.free(m_saved.back());
            m_saved.pop_back();
        }
        for (const std::int64_t elements : m_weights) {
            if (!makes_gradients) {
                break;
            }
            m_gradients.push_back(m_run.alloc(elements * 4, Bucket::gradient, Role::none, ""));
        }
    }

    void optimize(bool is_first)
    {
        const std::string at = "_init_group /usr/lib/python3/dist-packages/torch/optim/adam.py:"
            + std::to_string(m_options.torch_line) + "; main " + m_options.folder + "train.py:50";
        for (const std::int64_t elements : m_weights) {
            for (int state = 0; is_first && state < m_options.states; ++state) {
                m_run.alloc(elements * 4, Bucket::optimizer_state, Role::none, at);
            }
            passing(elements * 4, at);
        }
        for (const HandRun::Handle gradient : std::exchange(m_gradients, {})) {
            m_run.free(gradient);
        }
    }

    const DecoderOptions& m_options;
    HandRun m_run;
    std::int64_t m_batch;
    std::int64_t m_tokens;
    std::int64_t m_width;
    std::vector<std::int64_t> m_weights;
    std::vector<HandRun::Handle> m_saved;
    std::deque<std::vector<HandRun::Handle>> m_waiting; ///< Saved by passes before this one.
    std::vector<HandRun::Handle> m_gradients;
};

} // namespace

diagnose::Analysis decoderRun(const DecoderOptions& options)
{
    return Decoder(options).run();
}

} // namespace tidemark::test
