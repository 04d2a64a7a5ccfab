// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/allocation_order.h"

#include "ui/models/allocations_model.h"
#include "ui/models/text.h"

#include <algorithm>
#include <compare>
#include <unordered_map>

namespace tidemark::ui {
namespace {

/// Compares two allocations of one device by one key.
class KeyOrder {
public:
    KeyOrder(const diagnose::Analysis& analysis, std::size_t device, const StackTexts& texts,
             AllocationKey key)
        : m_allocations(analysis.replay->devices[device].allocations)
        , m_labels(analysis.labels->devices[device])
        , m_texts(texts)
        , m_key(key)
    {
    }

    /// Below zero: `a` has the smaller key.
    [[nodiscard]] int compare(AllocationId a, AllocationId b) const
    {
        const std::size_t i = a.index();
        const std::size_t j = b.index();
        switch (m_key) {
        case AllocationKey::size:
            return order(m_allocations.requested[i].value, m_allocations.requested[j].value);
        case AllocationKey::bucket:
            return order(m_labels.bucket[i], m_labels.bucket[j]);
        case AllocationKey::operation:
            return m_texts.of(m_allocations.stack[i])
                .operation.compare(m_texts.of(m_allocations.stack[j]).operation,
                                   Qt::CaseInsensitive);
        case AllocationKey::line:
            return m_texts.of(m_allocations.stack[i])
                .line.compare(m_texts.of(m_allocations.stack[j]).line, Qt::CaseInsensitive);
        case AllocationKey::made:
            return order(m_allocations.begin[i].value, m_allocations.begin[j].value);
        case AllocationKey::freed:
            return order(m_allocations.end[i].value, m_allocations.end[j].value);
        case AllocationKey::confidence:
            return order(m_labels.confidence[i], m_labels.confidence[j]);
        }
        return 0;
    }

    [[nodiscard]] bool isLarger(AllocationId a, AllocationId b) const
    {
        const auto x = m_allocations.requested[a.index()];
        const auto y = m_allocations.requested[b.index()];
        return x != y ? x > y : a < b;
    }

private:
    template <class T>
    static int order(const T& a, const T& b)
    {
        return a < b ? -1 : b < a ? 1 : 0;
    }

    const replay::Allocations& m_allocations;
    const label::DeviceLabels& m_labels;
    const StackTexts& m_texts;
    AllocationKey m_key;
};

bool stackContains(const trace::Snapshot& snapshot, StackId stack, const QString& filter)
{
    return std::ranges::any_of(snapshot.stacks.frames(stack), [&](FrameId id) {
        const Frame& frame = snapshot.stacks.frame(id);
        return text(snapshot.text(frame.name)).contains(filter, Qt::CaseInsensitive)
            || text(snapshot.text(frame.filename)).contains(filter, Qt::CaseInsensitive);
    });
}

} // namespace

std::vector<AllocationId> sortedAllocations(const diagnose::Analysis& analysis, std::size_t device,
                                            const StackTexts& texts, std::vector<AllocationId> ids,
                                            AllocationKey key, bool descending)
{
    const KeyOrder order(analysis, device, texts, key);
    std::ranges::sort(ids, [&](AllocationId a, AllocationId b) {
        const int comparison = order.compare(a, b);
        if (comparison != 0) {
            return descending ? comparison > 0 : comparison < 0;
        }
        return order.isLarger(a, b);
    });
    return ids;
}

std::vector<AllocationId> filteredAllocations(const diagnose::Analysis& analysis,
                                              std::size_t device, const StackTexts& texts,
                                              std::vector<AllocationId> ids, const QString& filter)
{
    const QString wanted = filter.trimmed();
    if (wanted.isEmpty()) {
        return ids;
    }
    const replay::Allocations& allocations = analysis.replay->devices[device].allocations;
    const label::DeviceLabels& labels = analysis.labels->devices[device];
    std::unordered_map<StackId, bool> stacks;
    const auto looksLike = [&](StackId stack) {
        const StackTexts::Texts& shown = texts.of(stack);
        return shown.operation.contains(wanted, Qt::CaseInsensitive)
            || shown.line.contains(wanted, Qt::CaseInsensitive);
    };
    std::erase_if(ids, [&](AllocationId id) {
        const label::Role role = labels.role[id.index()];
        if (bucketWithRole(labels.bucket[id.index()], role).contains(wanted, Qt::CaseInsensitive)
            || text(label::roleId(role)).contains(wanted, Qt::CaseInsensitive)) {
            return false;
        }
        const StackId stack = allocations.stack[id.index()];
        const auto known = stacks.find(stack);
        const bool contains = known != stacks.end()
            ? known->second
            : stacks
                  .emplace(stack,
                           looksLike(stack) || stackContains(*analysis.snapshot, stack, wanted))
                  .first->second;
        return !contains;
    });
    return ids;
}

} // namespace tidemark::ui
