// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/fp32_sites.h"

#include "core/diagnose/facts/device_run.h"
#include "core/label/stacks/frame_tests.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::isFileIn;
using label::Phase;
using label::Role;

/// Where the innermost line of Python lies.
enum class Line : std::uint8_t { none, torch, transformers, other };

bool isOfLossOfTransformers(const DeviceRun& run, StackId stack)
{
    return label::anyFrame(run.snapshot, stack, [](std::string_view, std::string_view file) {
        return isFileIn(file, "/transformers/loss/");
    });
}

class PartFinder {
public:
    explicit PartFinder(const DeviceRun& run)
        : m_run(run)
        , m_parts(run.allocations().count())
        , m_lines(run.snapshot.stacks.stackCount())
    {
        for (std::size_t s = 0; s < m_lines.size(); ++s) {
            m_lines[s] = lineOf(StackId(s));
        }
    }

    std::vector<Fp32Site> run()
    {
        const std::size_t count = m_parts.size();
        for (std::size_t first = 0; first < count;) {
            std::size_t end = first + 1;
            while (end < count && isOfOneFunction(first, end)) {
                ++end;
            }
            mark(first, end, rowsOfNorm(first, end));
            first = end;
        }
        bool casts_logits = false; // whether the loss that follows does
        for (std::size_t i = count; i-- > 0;) {
            const Role role = m_run.role(AllocationId(i));
            if (!isOfForward(i) || (role != Role::logits && role != Role::attention_matrix)) {
                continue;
            }
            m_parts[i] = fp32SiteOf(m_run, m_run.allocations().stack[i], role);
            if (m_parts[i].kind == Fp32Site::Kind::loss) {
                casts_logits = m_parts[i].is_surely;
            } else if (m_parts[i].kind == Fp32Site::Kind::logits) {
                m_parts[i].is_surely = casts_logits;
            }
        }
        return std::move(m_parts);
    }

private:
    [[nodiscard]] Line lineOf(StackId stack) const
    {
        const FrameId line = m_run.stacks.pythonFrame(stack);
        if (line.isNone()) {
            return Line::none;
        }
        const std::string_view file =
            m_run.snapshot.text(m_run.snapshot.stacks.frame(line).filename);
        return isFileIn(file, "/transformers/models/") ? Line::transformers
            : isFileIn(file, "/torch/")                ? Line::torch
                                                       : Line::other;
    }
    [[nodiscard]] Line lineOf(std::size_t i) const
    {
        const StackId stack = m_run.allocations().stack[i];
        return stack.isNone() ? Line::none : m_lines[stack.index()];
    }
    [[nodiscard]] bool isOfForward(std::size_t i) const
    {
        return m_run.pass_of[i] >= 0 && m_run.phase[i] == Phase::forward;
    }
    [[nodiscard]] bool isOfOneFunction(std::size_t one, std::size_t other) const
    {
        const auto& stack = m_run.allocations().stack;
        return m_run.stacks.function(stack[one]) == m_run.stacks.function(stack[other]);
    }

    /// Rows of one size, and far smaller ones with one number for each; scalars beside them: the
    /// rows' bytes. 0 for what is no norm.
    [[nodiscard]] std::int64_t rowsOfNorm(std::size_t first, std::size_t end) const
    {
        static constexpr std::int64_t kShortest = 16; // numbers of a row
        static constexpr std::size_t kFewest = 2; // rows divided by their norm, and weighed
        if (!isOfForward(first) || lineOf(first) <= Line::torch) {
            return 0;
        }
        std::int64_t rows = 0;
        std::int64_t numbers = std::numeric_limits<std::int64_t>::max();
        std::size_t results = 0;
        for (std::size_t i = first; i < end; ++i) {
            const std::int64_t bytes = m_run.bytes(AllocationId(i));
            results = bytes > rows ? 0 : results;
            rows = std::max(rows, bytes);
            results += bytes == rows ? 1 : 0;
            numbers = isScalar(i) ? numbers : std::min(numbers, bytes);
        }
        if (results < kFewest || rows / kShortest < numbers || rows % numbers != 0) {
            return 0;
        }
        for (std::size_t i = first; i < end; ++i) {
            const std::int64_t bytes = m_run.bytes(AllocationId(i));
            if (bytes != rows && bytes != numbers && !isScalar(i)) {
                return 0;
            }
        }
        return rows;
    }
    [[nodiscard]] bool isScalar(std::size_t i) const
    {
        static constexpr std::int64_t kNumber = 8; // bytes
        return m_run.bytes(AllocationId(i)) <= kNumber;
    }
    void mark(std::size_t first, std::size_t end, std::int64_t rows)
    {
        for (std::size_t i = first; i < end; ++i) {
            if (rows > 0 && m_run.bytes(AllocationId(i)) == rows) {
                m_parts[i] = {Fp32Site::Kind::norm, lineOf(i) == Line::transformers};
            }
        }
    }

    const DeviceRun& m_run;
    std::vector<Fp32Site> m_parts;
    std::vector<Line> m_lines; ///< Per stack.
};

} // namespace

Fp32Site fp32SiteOf(const DeviceRun& run, StackId stack, Role role)
{
    const label::Traits traits = run.stacks.traits(stack);
    if (role == Role::attention_matrix) {
        return {traits.has(label::Trait::softmax) ? Fp32Site::Kind::softmax : Fp32Site::Kind::none,
                false};
    }
    if (role != Role::logits) {
        return {};
    }
    return traits.has(label::Trait::loss)
        ? Fp32Site{Fp32Site::Kind::loss, isOfLossOfTransformers(run, stack)}
        : Fp32Site{Fp32Site::Kind::logits, false};
}

Amount lossWidth(const DeviceRun& run, std::span<const Fp32Site> parts)
{
    constexpr double kHalf = 0.5;
    std::int64_t largest = 0;
    Amount width{kHalf, kHalf, 0.52};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::int64_t bytes = run.bytes(AllocationId(i));
        if (parts[i].kind == Fp32Site::Kind::loss && bytes > largest) {
            largest = bytes;
            const bool is_transformers =
                label::anyFrame(run.snapshot, run.allocations().stack[i],
                                [](std::string_view, std::string_view file) {
                                    return isFileIn(file, "/transformers/models/");
                                });
            width = parts[i].is_surely ? Amount::exactly(1)
                                       : Amount{kHalf, is_transformers ? 1 : kHalf, 1};
        }
    }
    return width;
}

std::vector<Fp32Site> fp32Sites(const DeviceRun& run)
{
    return PartFinder(run).run();
}

} // namespace tidemark::diagnose
