// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

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

    [[nodiscard]] Traits traitsOf(std::string_view name, std::string_view filename) const;
    /// Allocator, unwinder and interpreter frames that every stack has.
    [[nodiscard]] bool isNoise(std::string_view name, std::string_view filename) const;
    /// Python code that is not the user's own.
    [[nodiscard]] bool isLibrary(std::string_view filename) const;

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
    std::vector<std::string> m_library_file_has;
};

/// A filename is Python's if it ends in .py or is a pseudo file such as "<string>".
bool isPythonFile(std::string_view filename);

} // namespace tidemark::label
