// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/in_use.h"

#include "core/label/stack_rules.h"
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
                            r.value("file_has", "")});
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
class TextRules {
public:
    TextRules(const trace::Snapshot& snapshot, std::string Rule::*part)
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

} // namespace

std::vector<InUse> fixesInUse(const trace::Snapshot& snapshot)
{
    TextRules by_name(snapshot, &Rule::name_has);
    TextRules by_file(snapshot, &Rule::file_has);
    RuleSet seen;
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const Frame& frame = snapshot.stacks.frame(FrameId(f));
        seen |= by_name(frame.name) & by_file(frame.filename);
    }
    std::vector<InUse> in_use;
    for (std::size_t i = 0; i < rules().size(); ++i) {
        if (seen[i] && useOf(in_use, rules()[i].use.fix) == nullptr) {
            in_use.push_back(rules()[i].use);
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
