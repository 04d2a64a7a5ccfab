// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/model_sizes.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tidemark::label {
namespace {

constexpr std::array<std::int64_t, 2> kWidths{4, 2}; ///< Of elements, bytes.

class SizeFinder {
public:
    explicit SizeFinder(const SizeCounts& parameters)
        : m_parameters(parameters)
    {
        for (const auto& [bytes, count] : parameters) {
            m_parameter_bytes += bytes * count;
        }
    }

    ModelSizes find()
    {
        chooseVectors();
        chooseWidth();
        chooseHidden();
        return m_sizes.element == 0 ? ModelSizes() : std::move(m_sizes);
    }

private:
    /// Vectors are small and there are many of one size; a bounded number of sizes suffices.
    void chooseVectors()
    {
        static constexpr std::int64_t kLargest = 256 * 1024;
        static constexpr std::size_t kMost = 48;
        for (const auto& [bytes, count] : m_parameters) {
            if (bytes <= kLargest && bytes >= kFewestElements * 2) {
                m_sizes.vectors.push_back(bytes);
            }
        }
        std::ranges::stable_sort(m_sizes.vectors, std::ranges::greater{},
                                 [this](std::int64_t v) { return m_parameters.at(v); });
        m_sizes.vectors.resize(std::min(kMost, m_sizes.vectors.size()));
    }

    /// A matrix [a, b] of elements of w bytes beside vectors of a and b elements: w is the product
    /// of the vectors' bytes over the matrix's.
    void chooseWidth()
    {
        static constexpr double kLeastShare = 0.1; // of the parameters' bytes
        static constexpr std::int64_t kFewestAlike = 4;
        std::array<std::set<std::int64_t>, kWidths.size()> explained;
        for (std::size_t w = 0; w < kWidths.size(); ++w) {
            forEachMatrix(kWidths[w], [&](std::int64_t bytes, std::int64_t, std::int64_t) {
                explained[w].insert(bytes);
            });
        }
        std::array<std::int64_t, kWidths.size()> bytes{};
        std::array<std::int64_t, kWidths.size()> matrices{};
        for (std::size_t w = 0; w < kWidths.size(); ++w) {
            for (const std::int64_t matrix : explained[w]) {
                bytes[w] += matrix * m_parameters.at(matrix);
                matrices[w] += m_parameters.at(matrix);
            }
        }
        const std::size_t best = bytes[0] >= bytes[1] ? 0 : 1;
        // One size that few parameters have may be a product by chance.
        const bool is_chance = explained[best].size() < 2 && matrices[best] < kFewestAlike;
        if (is_chance
            || static_cast<double>(bytes[best])
                < kLeastShare * static_cast<double>(m_parameter_bytes)
            || bytes[1 - best] * 2 > bytes[best] || bytes[best] == 0) {
            return;
        }
        m_sizes.element = kWidths[best];
        m_sizes.reason = say("{} of parameters are products of two vectors of {}-byte elements",
                             formatBytes({bytes[best]}), kWidths[best]);
    }

    /// Calls `visit(bytes, a, b)` for parameters that are a product of two vectors. No kernels of
    /// convolutions: the widths of such nets double, so that any width of an element fits.
    template <class Visit>
    void forEachMatrix(std::int64_t width, const Visit& visit) const
    {
        for (std::size_t i = 0; i < m_sizes.vectors.size(); ++i) {
            for (std::size_t j = i; j < m_sizes.vectors.size(); ++j) {
                const std::int64_t a = m_sizes.vectors[i] / width;
                const std::int64_t b = m_sizes.vectors[j] / width;
                const std::int64_t bytes = a * b * width;
                const bool is_whole =
                    m_sizes.vectors[i] % width == 0 && m_sizes.vectors[j] % width == 0;
                if (is_whole && bytes > m_sizes.vectors[i] && bytes > m_sizes.vectors[j]
                    && m_parameters.contains(bytes)) {
                    visit(bytes, a, b);
                }
            }
        }
    }

    /// The most common vector is as long as what flows between the layers, so most matrices have it
    /// as one of their dimensions. Where they have not, the sizes mean something else (packed and
    /// quantised weights), and nothing is said.
    void chooseHidden()
    {
        if (m_sizes.element == 0) {
            return;
        }
        static constexpr std::int64_t kSmallest = 32;
        const std::int64_t width = m_sizes.element;
        std::int64_t most = 0;
        for (const std::int64_t v : m_sizes.vectors) {
            const std::int64_t length = v % width == 0 ? v / width : 0;
            const std::int64_t count = m_parameters.at(v);
            if (length >= kSmallest
                && (count > most || (count == most && length > m_sizes.hidden))) {
                most = count;
                m_sizes.hidden = length;
            }
        }
        std::set<std::int64_t> of_hidden;
        forEachMatrix(width, [&](std::int64_t bytes, std::int64_t a, std::int64_t b) {
            m_sizes.shapes[bytes].insert({std::max(a, b), std::min(a, b)});
            if (a == m_sizes.hidden || b == m_sizes.hidden) {
                of_hidden.insert(bytes);
            }
        });
        std::int64_t all = 0;
        std::int64_t hidden = 0;
        for (const auto& [bytes, shapes] : m_sizes.shapes) {
            all += bytes * m_parameters.at(bytes);
            hidden += of_hidden.contains(bytes) ? bytes * m_parameters.at(bytes) : 0;
        }
        if (hidden * 2 < all || m_sizes.hidden == 0 || isPacked(most)) {
            m_sizes = {};
            return;
        }
        collectDimensions();
    }
    /// Common vectors that are longer than the hidden one belong to layers with as many outputs,
    /// whose weights must be there; packed weights have other sizes.
    [[nodiscard]] bool isPacked(std::int64_t hidden_count)
    {
        const std::int64_t row = m_sizes.hidden * m_sizes.element;
        return std::ranges::any_of(m_sizes.vectors, [&](std::int64_t v) {
            return v > row && m_parameters.at(v) * 4 >= hidden_count
                && !m_parameters.contains(v / m_sizes.element * row);
        });
    }
    void collectDimensions()
    {
        const std::int64_t width = m_sizes.element;
        for (const std::int64_t v : m_sizes.vectors) {
            if (v % width == 0) {
                m_sizes.dimensions.insert(v / width);
            }
        }
        // Without a vector of its own (a vocabulary, a layer without bias) a dimension shows only
        // as what is left beside the hidden one.
        const std::int64_t row = m_sizes.hidden * width;
        for (const auto& [bytes, count] : m_parameters) {
            if (!m_sizes.shapes.contains(bytes) && bytes > row && bytes % row == 0
                && bytes / row >= kFewestElements) {
                m_sizes.dimensions.insert(bytes / row);
            }
        }
    }

    const SizeCounts& m_parameters;
    std::int64_t m_parameter_bytes = 0;
    ModelSizes m_sizes;
};

} // namespace

ModelSizes findModelSizes(const SizeCounts& parameters)
{
    return SizeFinder(parameters).find();
}

} // namespace tidemark::label
