// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/places.h"

#include "core/base/format.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_rules.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
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
    module_call, ///< Torch's own, which calls a module's `forward`.
    model, ///< Of the program, or of a library's file in which a model's `forward` lies.
    library, ///< Of another library: loops, wrappers.
    torch, ///< Torch's own: only the innermost one counts.
    native,
    node, ///< Of autograd.
};

struct NamedPart {
    Part part = Part::none;
    Word word = kNoWord;
};

/// How many of the program's functions name a place, from the innermost: inside a model, and
/// outside of one. Who calls the model, and what wraps it, may be another in another run.
constexpr std::size_t kInModel = 4;
constexpr std::size_t kOutside = 2;

/// Functions of torch that only pass a call on; which of them a stack has depends on the release.
bool passesOn(std::string_view name)
{
    static constexpr std::array<std::string_view, 8> kNames{
        "__call__",         "inner",   "apply",       "_fn",
        "decorate_context", "wrapper", "new_forward", "_use_grad"};
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

/// What a snapshot's files are: judged once for each.
class Files {
public:
    explicit Files(const trace::Snapshot& snapshot)
        : m_code(snapshot.strings.size() + 1)
        , m_has_forward(snapshot.strings.size() + 1, false)
    {
        for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
            const Frame& frame = snapshot.stacks.frame(FrameId(f));
            if (snapshot.text(frame.name) == "forward") {
                m_has_forward[indexOf(frame.filename)] = true;
            }
        }
    }
    /// Whether a library's file holds models and nothing that they are built of, wrapped in or run
    /// by: which of those a stack has depends on releases and options.
    bool holdsModels(const trace::Snapshot& snapshot, StringId file)
    {
        std::optional<label::StackRules::Code>& code = m_code[indexOf(file)];
        if (!code) {
            code = label::StackRules::builtin().codeOf(snapshot.text(file));
        }
        return m_has_forward[indexOf(file)] && !code->is_block && !code->is_runner;
    }

private:
    [[nodiscard]] std::size_t indexOf(StringId file) const
    {
        return file.isNone() ? m_code.size() - 1 : file.index();
    }

    std::vector<std::optional<label::StackRules::Code>> m_code;
    std::vector<bool> m_has_forward;
};

NamedPart partOf(const trace::Snapshot& snapshot, FrameId id, Files& files, Words& words)
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
        return {Part::model, words.of(std::string(name))};
    case label::FrameOrigin::library:
        break;
    }
    if (label::isFileIn(file, "/torch/")) {
        if (name == "_call_impl" || name == "_wrapped_call_impl") {
            return {Part::module_call, kNoWord};
        }
        return passesOn(name)
            ? NamedPart{}
            : NamedPart{Part::torch,
                        words.of(std::string(baseName(file)) + ":" + std::string(name))};
    }
    if (isStandardLibrary(file) || file.starts_with('<')) {
        return {};
    }
    const Part part = files.holdsModels(snapshot, frame.filename) ? Part::model : Part::library;
    return {part, words.of(std::string(name))};
}

/// What names a stack; empty: nothing does.
std::vector<Word> nameOf(std::span<const FrameId> frames, const std::vector<NamedPart>& parts)
{
    std::vector<Word> model; // of the program and its models
    std::vector<Word> all; // with those of other libraries
    std::array<Word, 3> first{}; // of torch, of autograd, of C++
    std::size_t in_model = 0; // inside the outermost call of a module
    const auto note = [&first](std::size_t i, Word word) {
        first[i] = first[i] == kNoWord ? word : first[i];
    };
    for (const FrameId f : frames) {
        const NamedPart& named = parts[f.index()];
        switch (named.part) {
        case Part::none:
            break;
        case Part::module_call:
            in_model = model.size();
            break;
        case Part::model:
            model.push_back(named.word);
            all.push_back(named.word);
            break;
        case Part::library:
            all.push_back(named.word);
            break;
        case Part::torch:
            note(0, all.empty() ? named.word : kNoWord);
            break;
        case Part::node:
            note(1, named.word);
            break;
        case Part::native:
            note(2, named.word);
            break;
        }
    }
    std::vector<Word> name;
    if (first[0] != kNoWord) {
        name.push_back(first[0]);
    }
    const std::vector<Word>& own = in_model > 0 ? model : all;
    const std::size_t count =
        in_model > 0 ? std::min(in_model, kInModel) : std::min(own.size(), kOutside);
    std::ranges::copy(std::span(own).first(count), std::back_inserter(name));
    if (name.empty() && (first[1] != kNoWord || first[2] != kNoWord)) {
        name.push_back(first[1] != kNoWord ? first[1] : first[2]);
    }
    return name;
}

using Names = std::map<std::vector<Word>, PlaceId>;

std::vector<PlaceId> placesOf(const trace::Snapshot& snapshot, Words& words, Names& names)
{
    Files files(snapshot);
    std::vector<NamedPart> parts;
    parts.reserve(snapshot.stacks.frameCount());
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        parts.push_back(partOf(snapshot, FrameId(f), files, words));
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
