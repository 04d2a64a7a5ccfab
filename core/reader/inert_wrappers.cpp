// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/inert_wrappers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::reader {
namespace {

struct Name {
    std::string_view module;
    std::string_view name;
    Wrapper wrapper;
};

/// Sources: OrderedDict.__reduce__ of CPython; Pickler::pushIValue and endTypeTag in torch/csrc/
/// jit/serialization/pickler.cpp; THPDevice_reduce in torch/csrc/Device.cpp.
constexpr auto kWrapperNames = std::to_array<Name>({
    {"collections", "OrderedDict", Wrapper::ordered_dict},
    {"torch.jit._pickle", "restore_type_tag", Wrapper::restore_type_tag},
    {"torch.jit._pickle", "build_intlist", Wrapper::build_list},
    {"torch.jit._pickle", "build_doublelist", Wrapper::build_list},
    {"torch.jit._pickle", "build_boollist", Wrapper::build_list},
    {"torch.jit._pickle", "build_tensorlist", Wrapper::build_list},
    {"torch", "device", Wrapper::device},
});

/// A device's name is copied each time; a long one would make a small file need much memory.
constexpr std::size_t kLongestDeviceType = 32;
constexpr std::int64_t kLargestDeviceIndex = 65535;

bool isDevice(std::span<const WrapperArgument> arguments)
{
    if (arguments.empty() || arguments.size() > 2 || arguments[0].kind != ArgumentKind::text
        || arguments[0].text.empty() || arguments[0].text.size() > kLongestDeviceType) {
        return false;
    }
    return arguments.size() == 1
        || (arguments[1].kind == ArgumentKind::integer && arguments[1].integer >= 0
            && arguments[1].integer <= kLargestDeviceIndex);
}

} // namespace

std::optional<Wrapper> wrapperFromName(std::string_view module, std::string_view name)
{
    const auto* const it = std::ranges::find_if(kWrapperNames, [&](const Name& known) {
        return known.module == module && known.name == name;
    });
    return it == kWrapperNames.end() ? std::nullopt : std::optional(it->wrapper);
}

bool takesArguments(Wrapper wrapper, std::span<const WrapperArgument> arguments)
{
    switch (wrapper) {
    case Wrapper::ordered_dict:
        return arguments.empty();
    case Wrapper::restore_type_tag:
        return arguments.size() == 2
            && (arguments[0].kind == ArgumentKind::list || arguments[0].kind == ArgumentKind::dict)
            && arguments[1].kind == ArgumentKind::text;
    case Wrapper::build_list:
        return arguments.size() == 1 && arguments[0].kind == ArgumentKind::list;
    case Wrapper::device:
        return isDevice(arguments);
    }
    return false;
}

std::string deviceText(std::span<const WrapperArgument> arguments)
{
    return arguments.size() == 1 ? std::string(arguments[0].text)
                                 : fmt::format("{}:{}", arguments[0].text, arguments[1].integer);
}

} // namespace tidemark::reader
