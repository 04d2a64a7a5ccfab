// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::reader {

/// The callables that a pickle beside a snapshot may name without harm. None is ever imported or
/// called: REDUCE of one with arguments of the right shape gives one of the arguments, or a value
/// made of them. Every other global, and these in any other use than REDUCE, is refused.
enum class Wrapper : std::uint8_t {
    ordered_dict, ///< collections.OrderedDict() → an empty dictionary, filled by SETITEMS.
    restore_type_tag, ///< torch.jit._pickle.restore_type_tag(container, tag) → the container.
    build_list, ///< torch.jit._pickle.build_intlist(list) and its kin → the list.
    device, ///< torch.device("cuda", 0) → the text "cuda:0", torch.device("cpu") → "cpu".
};

/// Nothing for any other name.
std::optional<Wrapper> wrapperFromName(std::string_view module, std::string_view name);

/// An argument as far as the rule looks at it.
struct WrapperArgument {
    enum class Kind : std::uint8_t {
        text,
        integer,
        list, ///< A tuple, too.
        dict,
        other, ///< Booleans and None, too.
    };
    Kind kind = Kind::other;
    std::string_view text{}; ///< UTF-8.
    std::int64_t integer = 0;
};
using ArgumentKind = WrapperArgument::Kind;

/// No wrapper takes more arguments.
inline constexpr std::size_t kMaxWrapperArguments = 2;

/// Whether these arguments have the shape with which torch and Python write the wrapper.
bool takesArguments(Wrapper wrapper, std::span<const WrapperArgument> arguments);

/// The text for a device. Requires that takesArguments(Wrapper::device, arguments).
std::string deviceText(std::span<const WrapperArgument> arguments);

} // namespace tidemark::reader
