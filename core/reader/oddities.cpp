// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/oddities.h"

#include "core/base/language.h"
#include "core/reader/printable.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace tidemark::reader {
namespace {

constexpr std::size_t kNamesKept = 12;

std::string_view placeName(Place place)
{
    constexpr std::array<std::string_view, 7> kNames{
        toSay("the top level"), toSay("segments"),     toSay("blocks"),     toSay("block history"),
        toSay("trace entries"), toSay("stack frames"), toSay("annotations")};
    return translated(kNames[static_cast<std::size_t>(place)]);
}

} // namespace

void Oddities::Names::add(Place place, std::string name)
{
    ++count;
    first.emplace(place, std::move(name));
    if (first.size() > kNamesKept) {
        first.erase(std::prev(first.end()));
    }
}

std::string Oddities::Names::list() const
{
    std::string result;
    for (const auto& [place, name] : first) {
        result += result.empty() ? name : ", " + name;
    }
    return result;
}

void Oddities::Example::add(Place at, Key what)
{
    if (count++ == 0 || std::pair(at, what) < std::pair(place, key)) {
        place = at;
        key = what;
    }
}

std::string Oddities::Example::text() const
{
    return key == Key::unknown ? say("an entry of {}", placeName(place))
                               : say("`{}` in {}", keyName(key), placeName(place));
}

void Oddities::unknown(Place place, StringId key, StringId value)
{
    if (place == Place::frame) {
        m_of_frame.push_back({Key::unknown, key, value});
    } else {
        m_pending.push_back({place, m_block, key, value});
        name(place, key);
    }
}

void Oddities::name(Place place, StringId key)
{
    m_unknown_keys.add(place,
                       fmt::format("{} ({})", printable(m_strings.text(key)), placeName(place)));
}

void Oddities::wrong(Place place, Key key)
{
    if (place == Place::frame) {
        m_of_frame.push_back({key, StringId::none(), StringId::none()});
    } else {
        m_wrong.add(place, key);
    }
}

void Oddities::disagreement(Address segment, Bytes said, Bytes sum)
{
    if (m_disagreements++ == 0) {
        m_disagreement =
            say("segment 0x{:x} says {} B, its blocks {} B", segment, said.value, sum.value);
    }
}

void Oddities::unknownAction(std::string_view name)
{
    m_unknown_actions.add(Place::event, printable(name));
}

void Oddities::settle(std::uint64_t owner)
{
    for (const OfFrame& odd : m_of_frame) {
        if (!m_settled.emplace(owner, odd).second) {
            continue;
        }
        if (odd.key.isNone()) {
            m_wrong.add(Place::frame, odd.wrong);
        } else {
            name(Place::frame, odd.key);
            m_fields.add({Place::frame, 0, owner, odd.key, odd.value});
        }
    }
    m_of_frame.clear();
}

void Oddities::finishUnknown(std::size_t kept, trace::InputNotes& notes) const
{
    if (m_unknown_keys.count > 0) {
        std::string text = say("Unknown keys are kept but not shown: {}.", m_unknown_keys.list());
        if (kept < static_cast<std::size_t>(m_unknown_keys.count)) {
            text += ' ' + say("Only {} of these entries are kept.", kept);
        }
        notes.add("unknown-keys", text, m_unknown_keys.count);
    }
    if (m_unknown_actions.count > 0) {
        notes.add("unknown-actions",
                  say("Unknown actions are kept as events and change no total: {}.",
                      m_unknown_actions.list()),
                  m_unknown_actions.count);
    }
}

void Oddities::finish(std::size_t fx_frames, trace::InputNotes& notes,
                      std::vector<trace::OtherField>& fields)
{
    fields = m_fields.take();
    finishUnknown(fields.size(), notes);
    const auto add = [&](std::string_view code, std::int64_t count, std::string_view text) {
        if (count > 0) {
            notes.add(code, text, count);
        }
    };
    add("wrong-type", m_wrong.count,
        say("Ignored a value of wrong type or range, for example {}.", m_wrong.text()));
    add("missing-values", m_missing.count,
        say("A required value is missing and counts as 0, for example {}.", m_missing.text()));
    add("segment-sum-mismatch", m_disagreements,
        say("Requested bytes of segments and their active blocks disagree, first {}; the blocks "
            "count.",
            m_disagreement));
    add("forward-frames", m_forward_frames,
        say("Forward stacks of backward allocations (forward_frames) tell their modules, but are "
            "not shown."));
    add("fx-fields", static_cast<std::int64_t>(fx_frames),
        say("FX graph fields of stack frames (fx_*) are kept but not shown."));
    add("internal-metadata", m_internal_metadata,
        say("Allocator tags (internal_metadata) are kept; these events count like any other."));
}

} // namespace tidemark::reader
