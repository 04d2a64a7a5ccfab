// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::label {

/// What a frame (and so a stack) says, one bit each. Names are those of
/// resources/rules/stack_rules.json.
enum class Trait : std::uint8_t {
    optimizer,
    optimizer_transient,
    foreach,
    fused_optimizer,
    backward,
    recompute,
    checkpoint,
    forward,
    no_grad,
    load,
    load_optimizer,
    data,
    softmax,
    loss,
    weight_cast,
    kv_cache,
    workspace,
    reducer,
    unshard,
    communication,
    zero_grad,
    calls_back, ///< An optimizer's code that runs the closure it was given.
    mark, ///< The profiler's own, around what it names.
    momentum, ///< An optimizer's function that makes temporaries and, at first, its state.
    functional_grad, ///< torch.autograd.grad(), which puts nothing into `.grad`.
    generates, ///< A library's loop over tokens, which asks for no gradients.
    reduce_gradients, ///< A sharded model's own gradients on their way into `.grad`.
};

/// Set of traits.
struct Traits {
    std::uint32_t bits = 0;
    [[nodiscard]] constexpr bool has(Trait t) const
    {
        return (bits & (1U << static_cast<unsigned>(t))) != 0;
    }
    constexpr void add(Trait t)
    {
        bits |= 1U << static_cast<unsigned>(t);
    }
    constexpr void add(Traits other)
    {
        bits |= other.bits;
    }
};

/// The rules of resources/rules/stack_rules.json, which are embedded in the program. Immutable.
class StackRules {
public:
    /// The embedded rules; built once, thread-safe.
    static const StackRules& builtin();

    /// Rules, one bit each, in the order of the file.
    using RuleSet = std::bitset<192>;
    /// What a filename alone says.
    struct FileFacts {
        RuleSet rules; ///< Those it does not rule out.
        bool is_python = false;
        bool is_library = false; ///< Python code that is not the user's own.
        bool is_noise = false;
    };
    /// A name and a filename are judged apart, since files have few of either and many pairs.
    [[nodiscard]] FileFacts factsOf(std::string_view filename) const;
    /// Rules that a function's name does not rule out.
    [[nodiscard]] RuleSet rulesOf(std::string_view name) const;
    [[nodiscard]] Traits traitsOf(const RuleSet& rules) const;
    [[nodiscard]] bool isNoiseName(std::string_view name) const;
    /// What every operation of C++ calls for the memory of its result.
    [[nodiscard]] bool makesTensors(std::string_view name) const;

    /// Allocator, unwinder and interpreter frames that every stack has.
    [[nodiscard]] bool isNoise(std::string_view name, std::string_view filename) const;
    /// Python code that is not the user's own.
    [[nodiscard]] bool isLibrary(std::string_view filename) const;
    /// What part a Python file plays in a program, judged from its path.
    struct Code {
        bool is_python = false;
        bool is_library = false; ///< As in FileFacts.
        bool is_block = false; ///< Of a library that models are built of or wrapped in.
        bool is_runner = false; ///< Of a library whose loop calls the model and the optimizer.
        bool calls_modules = false; ///< torch's own, which calls `forward`.
        bool calls_functions = false; ///< torch's own, which calls autograd functions.
    };
    [[nodiscard]] Code codeOf(std::string_view filename) const;

private:
    struct Rule {
        Trait trait = Trait::forward;
        std::string name;
        std::string name_has;
        std::string file_has;
        bool user_only = false;
    };
    explicit StackRules(std::string_view json);

    std::vector<Rule> m_rules;
    std::vector<std::string> m_noise_name_has;
    std::vector<std::string> m_noise_name;
    std::vector<std::string> m_noise_file_has;
    std::vector<std::string> m_makes_tensors;
    std::vector<std::string> m_library_file_has;
    std::vector<std::string> m_block_file_has;
    std::vector<std::string> m_cloned_block_file_has; ///< Also in a working copy.
    std::vector<std::string> m_runner_file_has;
};

/// Windows paths compare like all others.
std::string withForwardSlashes(std::string_view path);

/// A filename is Python's if it ends in .py or is a pseudo file such as "<string>".
bool isPythonFile(std::string_view filename);

/// A name as rules give it: exactly, or with a * in front or at the end for any beginning or
/// ending.
bool matchesPattern(std::string_view pattern, std::string_view name);

} // namespace tidemark::label
