// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/tensor_guesses.h"

#include "core/base/language.h"
#include "core/label/stacks/stated_kinds.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace tidemark::label {
namespace {

using program::Expression;
using program::Factor;
using program::Program;
using program::SizeUse;
using program::TensorKind;

bool isTensorOfTheModel(TensorKind what)
{
    return what != TensorKind::unknown && what != TensorKind::workspace
        && what != TensorKind::communication;
}

/// Made once per weight, whose sides the sizes do not put in order.
bool isLikeWeight(TensorKind what)
{
    return what == TensorKind::weight || what == TensorKind::gradient || what == TensorKind::state
        || what == TensorKind::weight_copy;
}

std::string elementName(TensorKind what, std::int32_t bytes)
{
    switch (bytes) {
    case 8:
        return what == TensorKind::token_ids ? "int64" : "";
    case 4:
        return "float32";
    case 2:
        return say("float16 or bfloat16");
    default:
        return bytes == 1 && what == TensorKind::mask ? "bool" : "";
    }
}

TensorGuess fromProduct(const SizeUse& use, const Expression& e, const Program& program)
{
    TensorGuess guess;
    for (const Factor factor : e.factors) {
        if (factor != Factor::none) {
            guess.shape.push_back(program::valueOf(factor, program.values, e.number));
        }
    }
    guess.any_order = isLikeWeight(use.what) && guess.shape.size() > 1;
    guess.dtype = elementName(use.what, e.element_bytes);
    guess.reason = say("{}: the only product of the model's dimensions of this size.", textOf(e));
    return guess;
}

TensorGuess fromProgram(const SizeUse& use, const Program& program)
{
    if (const Expression* const e = program.statedExpression(use)) {
        return fromProduct(use, *e, program);
    }
    TensorGuess guess;
    guess.reason = program.dimensions.empty() ? program.unidentified
        : use.expressions.empty()
        ? say("No product of the model's dimensions has this size.")
        : say("Several products of the model's dimensions have this size.");
    return guess;
}

} // namespace

class TensorGuesser {
public:
    TensorGuesser(const trace::Snapshot& snapshot, const replay::DeviceReplay& replay)
        : m_snapshot(snapshot)
        , m_all(replay.allocations)
    {
        m_result.m_of.assign(m_all.count(), 0);
    }

    void takeProgram(const Program& program)
    {
        std::vector<std::uint32_t> of_size;
        for (const SizeUse& use : program.sizes) {
            const bool is_told = isTensorOfTheModel(use.what) || !use.expressions.empty();
            of_size.push_back(is_told ? add(fromProgram(use, program)) : 0);
        }
        for (std::size_t i = 0; i < program.size_of.size(); ++i) {
            m_result.m_of[i] = of_size[program.size_of[i]];
        }
    }
    void takeStated(const trace::Device& device, const replay::DeviceReplay& replay)
    {
        forEachAttachedText(device, replay, [this](AllocationId a, StringId text) {
            take(a.index(), m_stated, text.value, [&] { return m_snapshot.text(text); });
        });
    }
    /// Named tensors of a capture have a shape ("768x768") beside their type.
    void takeCaptured(std::span<const std::uint32_t> things)
    {
        for (std::size_t i = 0; i < things.size(); ++i) {
            if (things[i] != 0) {
                take(i, m_captured, things[i], [&] {
                    const trace::CaptureThing& thing = m_snapshot.capture->things[things[i] - 1];
                    return fmt::format("{} [{}]", thing.dtype, thing.shape);
                });
            }
        }
    }
    TensorGuesses take() &&
    {
        return std::move(m_result);
    }

private:
    /// By what says it and the size of what it speaks of: index into the guesses + 1; 0: it says
    /// nothing.
    using Said = std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t>;

    std::uint32_t add(TensorGuess guess)
    {
        m_result.m_guesses.push_back(std::move(guess));
        return static_cast<std::uint32_t>(m_result.m_guesses.size());
    }
    template <class Text>
    void take(std::size_t i, Said& known, std::uint32_t source, const Text& text)
    {
        const std::int64_t bytes = m_all.requested[i].value;
        const auto [it, is_new] = known.try_emplace({source, bytes}, 0);
        if (is_new) {
            std::optional<TensorGuess> said = tensorInText(text(), bytes);
            it->second = said ? add(std::move(*said)) : 0;
        }
        if (it->second != 0) {
            m_result.m_of[i] = it->second;
        }
    }

    const trace::Snapshot& m_snapshot;
    const replay::Allocations& m_all;
    TensorGuesses m_result;
    Said m_stated;
    Said m_captured;
};

TensorGuesses guessTensors(const trace::Snapshot& snapshot, const trace::Device& device,
                           const replay::DeviceReplay& replay, const Program* program,
                           std::span<const std::uint32_t> things)
{
    TensorGuesser guesser(snapshot, replay);
    if (program != nullptr) {
        guesser.takeProgram(*program);
    }
    guesser.takeStated(device, replay);
    guesser.takeCaptured(things);
    return std::move(guesser).take();
}

} // namespace tidemark::label
