// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/measures.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/predict/laws.h"
#include "core/label/stacks/stack_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

constexpr double kSurely = 0.5; // share of certainty from which a temporary counts for a role

class Measurer {
public:
    explicit Measurer(const Facts& facts)
        : m_facts(facts)
    {
    }

    Measures run()
    {
        const replay::Allocations& all = m_facts.allocations();
        for (const AllocationId a : m_facts.ids()) {
            m_result.largest_ever = std::max(m_result.largest_ever, all.requested[a.index()].value);
            if (!m_facts.isLive(a)) {
                continue;
            }
            add({a, m_facts.bucket(a), m_facts.role(a), m_facts.phaseOf(a), m_facts.passOf(a),
                 m_facts.bytes(a), m_facts.begin(a), m_facts.end(a), m_facts.stack(a)});
        }
        if (const label::FailedRequest* failed = m_facts.failed) {
            const StateId state = m_facts.moment.state;
            add({AllocationId::none(), failed->bucket, failed->role, m_facts.phaseAtMoment(), -1,
                 m_facts.moment.requested.value, state, StateId{state.value + 1},
                 m_facts.device.events.stack[failed->event.index()]});
        }
        m_result.attention_layers = static_cast<std::uint32_t>(m_layers.size());
        joinPlaces();
        std::ranges::stable_sort(m_result.places, std::ranges::greater{},
                                 [](const PlaceSum& p) { return p.sum.bytes; });
        return std::move(m_result);
    }

private:
    using PlaceKey = std::tuple<std::uint32_t, std::uint32_t, Role, std::int32_t>;

    static bool isKin(const ActivationGradients& activation_gradients, const Subject& s)
    {
        return activation_gradients.share(s.bytes, s.begin) > kSurely;
    }

    void add(const Subject& s)
    {
        const bool given = !s.allocation.isNone();
        const bool is_temporary = s.bucket == Bucket::temporary;
        const bool is_optimizers =
            is_temporary && (s.phase == Phase::optimizer || s.role == Role::optimizer_transient);
        if (is_optimizers) {
            m_result.optimizer_transients.add(s.bytes, s.stack, given);
            return;
        }
        if (s.bucket == Bucket::output) {
            m_result.outputs.add(s.bytes, s.stack, given);
            addPlace(s);
        }
        if (s.bucket != Bucket::activation && s.bucket != Bucket::input && !is_temporary) {
            return;
        }
        m_result.pass.add(s.bytes, s.stack, given);
        addPlace(s);
        if (s.bucket == Bucket::activation) {
            m_result.saved.add(s.bytes, s.stack, given);
        }
        const bool in_backward = is_temporary && s.phase == Phase::backward;
        if (s.role == Role::attention_matrix || (in_backward && isKin(*m_facts.attention_kin, s))) {
            m_result.attention.add(s.bytes, s.stack, given);
            addLayer(s);
        } else if (s.role == Role::logits || (in_backward && isKin(*m_facts.logits_kin, s))) {
            m_result.logits.add(s.bytes, s.stack, given);
        }
    }

    /// Lines of one function that lie close together are one place.
    void joinPlaces()
    {
        static constexpr std::int32_t kClose = 2; // lines
        const PlaceKey* last = nullptr;
        for (const auto& [key, place] : m_places) {
            const bool joins = last != nullptr && std::get<0>(*last) == std::get<0>(key)
                && std::get<1>(*last) == std::get<1>(key) && std::get<2>(*last) == std::get<2>(key)
                && place.first_line - m_result.places.back().last_line <= kClose;
            if (joins) {
                PlaceSum& whole = m_result.places.back();
                whole.last_line = place.last_line;
                whole.sum.bytes += place.sum.bytes;
                whole.sum.count += place.sum.count;
                if (place.sum.largest > whole.sum.largest) {
                    whole.sum.largest = place.sum.largest;
                    whole.sum.stack = place.sum.stack;
                    whole.caller = place.caller;
                }
            } else {
                m_result.places.push_back(place);
            }
            last = &key;
        }
    }

    void addLayer(const Subject& s)
    {
        if (!s.allocation.isNone()) {
            if (const Layer* layer = m_facts.layers.layerOf(s.allocation)) {
                m_layers.insert(layer->number);
            }
        }
    }

    /// What a place allocated: not what it failed to.
    void addPlace(const Subject& s)
    {
        if (s.allocation.isNone()) {
            return;
        }
        const FrameId frame = m_facts.stacks.lines(s.stack).shown;
        if (frame.isNone()) {
            return;
        }
        const Frame& f = m_facts.snapshot.stacks.frame(frame);
        PlaceSum& place = m_places[{f.filename.value, f.name.value, s.role, f.line}];
        if (place.sum.count == 0) {
            const bool is_python = m_facts.stacks.origin(frame) != label::FrameOrigin::native;
            place.file = is_python ? shownName(baseName(m_facts.snapshot.text(f.filename))) : "";
            place.function = is_python ? shownName(m_facts.snapshot.text(f.name))
                                       : label::frameText(m_facts.snapshot, frame);
            place.first_line = place.last_line = f.line;
        }
        place.first_line = std::min(place.first_line, f.line);
        place.last_line = std::max(place.last_line, f.line);
        place.sum.add(s.bytes, s.stack);
        place.caller =
            label::frameText(m_facts.snapshot, m_facts.stacks.lines(place.sum.stack).caller());
    }

    const Facts& m_facts;
    std::map<PlaceKey, PlaceSum> m_places; ///< By file, function, role and line.
    std::set<std::uint32_t> m_layers;
    Measures m_result;
};

} // namespace

void Sum::add(std::int64_t amount, StackId from, bool was_given)
{
    bytes += amount;
    failed += was_given ? 0 : amount;
    ++count;
    if (amount > largest) {
        largest = amount;
        stack = from;
    }
}

std::string PlaceSum::text() const
{
    if (file.empty() || first_line <= 0) {
        return file.empty() ? function : fmt::format("{} {}", file, function);
    }
    const std::string lines = first_line == last_line ? fmt::format("{}", first_line)
                                                      : fmt::format("{}–{}", first_line, last_line);
    return fmt::format("{}:{} {}", file, lines, function);
}

Measures measure(const Facts& facts)
{
    return Measurer(facts).run();
}

} // namespace tidemark::diagnose
