// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/fp32_under_autocast.h"

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

/// Linear layers between two norms: all but the last read the result of the first norm (query, key
/// and value; gate and up), the last what was made of them.
class NormReaders {
public:
    /// `left` is what is left of the results of the size of the last norm's; null: it is not saved.
    void begin(double* left)
    {
        finish();
        m_left = left;
    }
    void addLinear()
    {
        ++m_linears;
    }
    /// Every reader saves a copy of its own: autocast keeps only those of weights.
    void finish()
    {
        if (m_left != nullptr && m_linears > 2) {
            *m_left += Fp32UnderAutocast::kHalf * (m_linears - 2);
        }
        m_left = nullptr;
        m_linears = 0;
    }

private:
    double* m_left = nullptr;
    int m_linears = 0;
};

} // namespace

Fp32UnderAutocast::Fp32UnderAutocast(const Facts& facts)
{
    Sum* read = nullptr; // of the one before, and what was counted of it
    double counted = 0;
    Sum* result = nullptr; // of what a norm that is written out made last, if it is saved
    std::int64_t bytes_before = 0;
    bool was_written_out = false;
    NormReaders readers;
    Sum* normed = nullptr; // the largest that the norm at hand made
    std::int64_t normed_bytes = 0;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.phase[i] != Phase::forward) {
            continue;
        }
        const MadeBy made_by = facts.madeBy(a);
        const std::int64_t bytes = facts.bytes(a);
        const bool is_written_out = facts.fp32_sites[i].kind == Fp32Site::Kind::norm;
        if (read != nullptr && bytes == bytes_before
            && (made_by == MadeBy::norm || (is_written_out && !was_written_out))) {
            read->left += 1 - counted;
        }
        if (!is_written_out && result != nullptr) {
            result->left -= kHalf;
        }
        const bool is_norm = is_written_out || made_by == MadeBy::norm;
        if (!is_norm && normed_bytes > 0) {
            Sum* const of_norm = result != nullptr ? result : normed;
            readers.begin(of_norm == nullptr ? nullptr : &of_norm->left);
            normed = nullptr;
            normed_bytes = 0;
        }
        if (made_by == MadeBy::linear) {
            readers.addLinear();
        }
        was_written_out = is_written_out;
        const bool is_counted = facts.bucket(a) == Bucket::activation
            && facts.role(a) != Role::attention_matrix && facts.role(a) != Role::logits;
        read = is_counted ? &m_sums[bytes] : nullptr;
        counted = is_written_out                                   ? 1
            : made_by == MadeBy::other || made_by == MadeBy::table ? kUsual
                                                                   : kHalf;
        bytes_before = bytes;
        if (read != nullptr) {
            read->left += counted;
            ++read->count;
        }
        result = is_written_out ? read : nullptr;
        if (is_norm && bytes >= normed_bytes) {
            normed = read;
            normed_bytes = bytes;
        }
    }
    readers.finish();
}

double Fp32UnderAutocast::of(std::int64_t bytes) const
{
    const auto found = m_sums.find(bytes);
    return found == m_sums.end() ? kUsual : found->second.left / found->second.count;
}

} // namespace tidemark::diagnose
