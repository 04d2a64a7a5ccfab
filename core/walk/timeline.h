// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/label/bucket.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tidemark::walk {

/// A moment of the planned run: between two calls of the allocator. Moment k is what holds after k
/// calls.
using CallCount = std::uint32_t;
inline constexpr CallCount kNever = 0xffffffff;

/// Modules that are none: what computes the scores, torch.nn.functional, a loss's function, and
/// what comes behind the last layer.
inline constexpr std::string_view kAttentionCall = "attention";
inline constexpr std::string_view kFunctional = "functional";
inline constexpr std::string_view kLoss = "loss";
inline constexpr std::string_view kHead = "head and loss";

/// Where in the model something is made: a module that runs, within another one.
struct PlannedPlace {
    std::uint32_t outer = 0; ///< Index of the place around it; 0: none.
    std::string module; ///< By its attribute and class: "q_proj (Linear)".
    std::string function; ///< That runs: "forward", "step".
};

/// One lifetime of the run that was never made; live in the moments [begin, end).
struct PlannedAllocation {
    Bytes bytes; ///< As requested.
    CallCount begin = 0;
    CallCount end = kNever; ///< kNever: to the end of the run.
    label::Bucket bucket = label::Bucket::temporary;
    label::Role role = label::Role::none;
    std::uint32_t place = 0; ///< Index into the timeline's places; 0: outside of modules.
    std::uint32_t turn = 0; ///< How many its module made before since it was called.
};

/// Where a phase begins.
struct PhaseStart {
    CallCount moment = 0; ///< The first call of the phase.
    label::Phase phase = label::Phase::setup;
};

/// All allocations of a planned run, in the order of their requests.
struct Timeline {
    std::vector<PlannedAllocation> allocations;
    std::vector<PhaseStart> phases;
    std::vector<PlannedPlace> places{1}; ///< The first is the outside.
    CallCount moments = 0; ///< Calls of the allocator.
    /// Behind which calls forward and backward multiply their first matrices; 0: they do not. There
    /// each one's thread gets its workspace of cuBLAS, which is no allocation here.
    std::array<CallCount, 2> products{};

    [[nodiscard]] label::Phase phaseAt(CallCount moment) const;
};

inline constexpr std::uint32_t kNoAllocation = 0xffffffff;
/// By moment, the allocation that its call makes or gives back; none for moment 0.
std::vector<std::uint32_t> callsOf(const Timeline& timeline);

/// What one role has of a bucket.
struct RoleBytes {
    label::Bucket bucket = label::Bucket::unknown;
    label::Role role = label::Role::none;
    Bytes bytes;
};

/// The largest total of requested bytes and what it is made of.
struct PlannedPeak {
    Bytes bytes;
    CallCount moment = 0; ///< The first one with that total.
    label::Phase phase = label::Phase::setup;
    label::BucketBytes buckets{};
    std::vector<RoleBytes> roles; ///< Largest first; without what has none.
};
/// O(moments + allocations).
PlannedPeak peakOf(const Timeline& timeline);

/// The largest total while each phase ran. O(moments).
std::array<Bytes, label::kPhaseCount> phasePeaksOf(const Timeline& timeline);

/// The largest moment of a stretch of the run.
struct PlannedPoint {
    CallCount moment = 0;
    label::Phase phase = label::Phase::setup;
    Bytes bytes;
};
/// The curve in about `points` stretches of as many moments each; the peak is one of them.
std::vector<PlannedPoint> curveOf(const Timeline& timeline, std::size_t points);

class Recorder;

/// Memory of a planned tensor: a call for it when it is made, and one that gives it back when its
/// last owner goes. That is how Python and autograd keep tensors, too.
class Storage {
public:
    Storage(Recorder& recorder, std::uint32_t index, Bytes bytes)
        : m_recorder(recorder)
        , m_index(index)
        , m_bytes(bytes)
    {
    }
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    [[nodiscard]] Bytes bytes() const
    {
        return m_bytes;
    }
    /// Its allocation in the timeline.
    [[nodiscard]] std::uint32_t index() const
    {
        return m_index;
    }

private:
    Recorder& m_recorder;
    std::uint32_t m_index;
    Bytes m_bytes;
};
using Memory = std::shared_ptr<Storage>;

/// Writes the timeline down while the run is walked through. Outlives every memory it gave.
class Recorder {
public:
    /// What is requested now: its bucket follows from the phase, until `label` says better. What
    /// forward made and still holds when backward begins is an activation.
    Memory request(Bytes bytes);
    void beginPhase(label::Phase phase);
    /// Between these, what a forward inside the backward makes counts as recomputed activations.
    void setRecomputing(bool recomputes)
    {
        m_recomputes = recomputes;
    }
    void label(const Memory& memory, label::Bucket bucket, label::Role role = label::Role::none);
    /// Matrices are multiplied now.
    void noteProduct();
    [[nodiscard]] label::Phase phase() const
    {
        return m_phase;
    }
    /// Where what is requested now belongs to.
    [[nodiscard]] std::uint32_t place() const
    {
        return m_place;
    }
    /// `turn`: how many allocations that place made so far.
    void setPlace(std::uint32_t place, std::uint32_t turn = 0)
    {
        m_place = place;
        m_turn = turn;
    }
    [[nodiscard]] std::uint32_t turn() const
    {
        return m_turn;
    }
    /// The place of a module within another; the same one each time.
    std::uint32_t placeWithin(std::uint32_t outer, std::string_view module,
                              std::string_view function);
    /// Of what was requested and not given back.
    [[nodiscard]] Bytes live() const
    {
        return m_live;
    }
    /// What was recorded so far. What lives now lives to the end.
    [[nodiscard]] const Timeline& timeline() const
    {
        return m_timeline;
    }

private:
    friend class Storage;
    void giveBack(std::uint32_t index);

    Timeline m_timeline;
    label::Phase m_phase = label::Phase::setup;
    std::uint32_t m_place = 0;
    std::uint32_t m_turn = 0;
    /// Looked up without copies of the words.
    struct PlaceOrder {
        using is_transparent = void;

        template <class Left, class Right>
        bool operator()(const Left& left, const Right& right) const
        {
            return viewOf(left) < viewOf(right);
        }
        template <class Place>
        static std::tuple<std::uint32_t, std::string_view, std::string_view>
        viewOf(const Place& place)
        {
            return {std::get<0>(place), std::get<1>(place), std::get<2>(place)};
        }
    };
    std::map<std::tuple<std::uint32_t, std::string, std::string>, std::uint32_t, PlaceOrder>
        m_places;
    std::vector<std::uint32_t> m_made_in_forward; ///< Since it began.
    Bytes m_live;
    bool m_recomputes = false;
};

/// A module runs as long as this lives: what is requested meanwhile belongs to it.
class InModule {
public:
    InModule(Recorder& recorder, std::string_view module, std::string_view function = "forward")
        : m_recorder(recorder)
        , m_outer(recorder.place())
        , m_turn(recorder.turn())
    {
        recorder.setPlace(recorder.placeWithin(m_outer, module, function));
    }
    ~InModule()
    {
        m_recorder.setPlace(m_outer, m_turn);
    }
    InModule(const InModule&) = delete;
    InModule& operator=(const InModule&) = delete;

private:
    Recorder& m_recorder;
    std::uint32_t m_outer;
    std::uint32_t m_turn;
};

} // namespace tidemark::walk
