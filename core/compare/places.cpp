// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/places.h"

#include "core/base/format.h"
#include "core/label/frame_tests.h"
#include "core/label/stack_text.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::compare {
namespace {

/// Number of a word that both snapshots share.
using Word = std::uint32_t;
constexpr Word kNoWord = 0;

enum class Part : std::uint8_t {
    none, ///< Says nothing: how a call is passed on, the standard library.
    own, ///< Of the program, or of a library that holds models and loops.
    torch, ///< Torch's own: only the innermost one counts.
    native,
    node, ///< Of autograd.
};

struct NamedPart {
    Part part = Part::none;
    Word word = kNoWord;
};

/// Functions of torch that only pass a call on; which of them a stack has depends on the release.
bool passesOn(std::string_view name)
{
    static constexpr std::array<std::string_view, 10> kNames{
        "_call_impl", "_wrapped_call_impl", "__call__", "inner",       "apply",
        "_fn",        "decorate_context",   "wrapper",  "new_forward", "_use_grad"};
    return std::ranges::find(kNames, name) != kNames.end();
}

bool isStandardLibrary(std::string_view file)
{
    return (label::isFileIn(file, "/lib/python3") || label::isFileIn(file, "/lib64/python3"))
        && !label::isFileIn(file, "/site-packages/") && !label::isFileIn(file, "/dist-packages/");
}

class Words {
public:
    Word of(std::string text)
    {
        return m_words.try_emplace(std::move(text), static_cast<Word>(m_words.size() + 1))
            .first->second;
    }

private:
    std::map<std::string, Word> m_words;
};

NamedPart partOf(const trace::Snapshot& snapshot, FrameId id, Words& words)
{
    const Frame& frame = snapshot.stacks.frame(id);
    const std::string_view name = snapshot.text(frame.name);
    const std::string_view file = snapshot.text(frame.filename);
    switch (label::frameOrigin(snapshot, id)) {
    case label::FrameOrigin::noise:
        return {};
    case label::FrameOrigin::native:
        return {name.find("Backward") != std::string_view::npos ? Part::node : Part::native,
                words.of(std::string(name))};
    case label::FrameOrigin::user:
        return {Part::own, words.of(std::string(name))};
    case label::FrameOrigin::library:
        break;
    }
    if (label::isFileIn(file, "/torch/")) {
        return passesOn(name)
            ? NamedPart{}
            : NamedPart{Part::torch,
                        words.of(std::string(baseName(file)) + ":" + std::string(name))};
    }
    if (isStandardLibrary(file) || file.starts_with('<')) {
        return {};
    }
    return {Part::own, words.of(std::string(name))};
}

/// What names a stack; empty: nothing does.
std::vector<Word> nameOf(std::span<const FrameId> frames, const std::vector<NamedPart>& parts)
{
    std::vector<Word> name;
    Word torch = kNoWord;
    Word node = kNoWord;
    Word native = kNoWord;
    for (const FrameId f : frames) {
        const NamedPart& named = parts[f.index()];
        switch (named.part) {
        case Part::none:
            break;
        case Part::own:
            name.push_back(named.word);
            break;
        case Part::torch:
            torch = torch == kNoWord && name.empty() ? named.word : torch;
            break;
        case Part::node:
            node = node == kNoWord ? named.word : node;
            break;
        case Part::native:
            native = native == kNoWord ? named.word : native;
            break;
        }
    }
    if (torch != kNoWord) {
        name.insert(name.begin(), torch);
    }
    if (name.empty() && (node != kNoWord || native != kNoWord)) {
        name.push_back(node != kNoWord ? node : native);
    }
    return name;
}

using Names = std::map<std::vector<Word>, PlaceId>;

std::vector<PlaceId> placesOf(const trace::Snapshot& snapshot, Words& words, Names& names)
{
    std::vector<NamedPart> parts;
    parts.reserve(snapshot.stacks.frameCount());
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        parts.push_back(partOf(snapshot, FrameId(f), words));
    }
    std::vector<PlaceId> places;
    places.reserve(snapshot.stacks.stackCount());
    for (std::size_t s = 0; s < snapshot.stacks.stackCount(); ++s) {
        std::vector<Word> name = nameOf(snapshot.stacks.frames(StackId(s)), parts);
        places.push_back(
            name.empty() ? PlaceId::none()
                         : names.try_emplace(std::move(name), PlaceId(names.size())).first->second);
    }
    return places;
}

} // namespace

Places::Places(const trace::Snapshot& a, const trace::Snapshot& b)
{
    Words words;
    Names names;
    m_a = placesOf(a, words, names);
    m_b = placesOf(b, words, names);
    m_count = names.size();
}

} // namespace tidemark::compare
