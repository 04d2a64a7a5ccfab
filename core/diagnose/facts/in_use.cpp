// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/in_use.h"

#include "core/label/stacks/stack_rules.h"
#include "resources/rules/in_use.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bitset>
#include <optional>
#include <stdexcept>

namespace tidemark::diagnose {
namespace {

struct Rule {
    InUse use;
    std::string name_has;
    std::string file_has;
    std::string under_name_has; ///< Of a frame further out in the same stack; empty: any.
    bool is_innermost = false; ///< Of a stack's frames of Python.
    std::string unless_name_has; ///< Where a frame of the same files has it, the rule is void.
};
using RuleSet = std::bitset<64>; ///< One bit each, in the order of the file.

const std::vector<Rule>& rules()
{
    static const std::vector<Rule> all = [] {
        std::vector<Rule> read;
        const auto document = nlohmann::json::parse(resources::inUseJson());
        for (const auto& r : document.at("rules")) {
            read.push_back({{r.at("fix").get<std::string>(), r.at("says").get<std::string>(),
                             r.value("partly", false)},
                            r.value("name_has", ""),
                            r.value("file_has", ""),
                            r.value("under_name_has", ""),
                            r.value("innermost", false),
                            r.value("unless_name_has", "")});
        }
        if (read.size() > RuleSet().size()) {
            throw std::logic_error("in_use.json has more rules than a rule set holds");
        }
        return read;
    }();
    return all;
}

/// The rules that a text does not rule out.
RuleSet rulesOf(std::string_view text, std::string Rule::*part)
{
    RuleSet set;
    for (std::size_t i = 0; i < rules().size(); ++i) {
        const std::string& wanted = rules()[i].*part;
        set[i] = wanted.empty() || text.find(wanted) != std::string_view::npos;
    }
    return set;
}

/// The same by the text's id; each text is looked at once.
class RulesByText {
public:
    RulesByText(const trace::Snapshot& snapshot, std::string Rule::*part)
        : m_snapshot(snapshot)
        , m_part(part)
        , m_of(snapshot.strings.size() + 1)
    {
    }
    const RuleSet& operator()(StringId id)
    {
        std::optional<RuleSet>& known = m_of[id.isNone() ? m_of.size() - 1 : id.index()];
        if (!known) {
            known = rulesOf(label::withForwardSlashes(m_snapshot.text(id)), m_part);
        }
        return *known;
    }

private:
    const trace::Snapshot& m_snapshot;
    std::string Rule::*m_part;
    std::vector<std::optional<RuleSet>> m_of;
};

/// Whether some stack has a frame of the rule with one further out of the name that it asks for.
/// O(frames of all stacks).
bool isUnder(const trace::Snapshot& snapshot, const Rule& rule)
{
    const auto nameOf = [&](FrameId f) { return snapshot.text(snapshot.stacks.frame(f).name); };
    const auto isInFile = [&](FrameId f) {
        return label::withForwardSlashes(snapshot.text(snapshot.stacks.frame(f).filename))
                   .find(rule.file_has)
            != std::string::npos;
    };
    for (std::size_t s = 0; s < snapshot.stacks.stackCount(); ++s) {
        bool is_inside = false;
        for (const FrameId f : snapshot.stacks.frames(StackId(s))) {
            if (is_inside && nameOf(f).find(rule.under_name_has) != std::string_view::npos) {
                return true;
            }
            is_inside = is_inside
                || (nameOf(f).find(rule.name_has) != std::string_view::npos && isInFile(f));
        }
    }
    return false;
}

/// Whether in some stack the innermost frame of Python is of the rule. O(frames of all stacks).
bool isInnermost(const trace::Snapshot& snapshot, const Rule& rule)
{
    for (std::size_t s = 0; s < snapshot.stacks.stackCount(); ++s) {
        const auto frames = snapshot.stacks.frames(StackId(s));
        const auto first = std::ranges::find_if(frames, [&snapshot](FrameId f) {
            return label::isPythonFile(snapshot.text(snapshot.stacks.frame(f).filename));
        });
        if (first == frames.end()) {
            continue;
        }
        const Frame& frame = snapshot.stacks.frame(*first);
        if (snapshot.text(frame.name).find(rule.name_has) != std::string_view::npos
            && label::withForwardSlashes(snapshot.text(frame.filename)).find(rule.file_has)
                != std::string::npos) {
            return true;
        }
    }
    return false;
}

} // namespace

std::vector<InUse> fixesInUse(const trace::Snapshot& snapshot)
{
    RulesByText by_name(snapshot, &Rule::name_has);
    RulesByText by_veto(snapshot, &Rule::unless_name_has);
    RulesByText by_file(snapshot, &Rule::file_has);
    RuleSet has_veto;
    for (std::size_t i = 0; i < rules().size(); ++i) {
        has_veto[i] = !rules()[i].unless_name_has.empty();
    }
    RuleSet seen;
    RuleSet void_rules;
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const Frame& frame = snapshot.stacks.frame(FrameId(f));
        const RuleSet of_file = by_file(frame.filename);
        seen |= by_name(frame.name) & of_file;
        void_rules |= by_veto(frame.name) & of_file & has_veto;
    }
    seen &= ~void_rules;
    std::vector<InUse> in_use;
    for (std::size_t i = 0; i < rules().size(); ++i) {
        const Rule& rule = rules()[i];
        if (seen[i] && useOf(in_use, rule.use.fix) == nullptr
            && (rule.under_name_has.empty() || isUnder(snapshot, rule))
            && (!rule.is_innermost || isInnermost(snapshot, rule))) {
            in_use.push_back(rule.use);
        }
    }
    return in_use;
}

const InUse* useOf(const std::vector<InUse>& in_use, std::string_view fix)
{
    const auto found = std::ranges::find(in_use, fix, &InUse::fix);
    return found == in_use.end() ? nullptr : &*found;
}

} // namespace tidemark::diagnose
