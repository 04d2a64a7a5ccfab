// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/terminal_colours.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>

namespace tidemark::report {
namespace {

using Rgb = std::array<int, 3>;

Rgb rgbOf(std::string_view colour)
{
    Rgb rgb{};
    for (std::size_t i = 0; i < rgb.size(); ++i) {
        const char* const digits = colour.data() + 1 + 2 * i;
        std::from_chars(digits, digits + 2, rgb[i], 16);
    }
    return rgb;
}

int distance(const Rgb& a, const Rgb& b)
{
    int sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

/// Number of the nearest colour of xterm's cube, 16 to 231.
int inCube(const Rgb& rgb)
{
    static constexpr std::array<int, 6> kLevels{0, 95, 135, 175, 215, 255};
    int number = 0;
    for (const int part : rgb) {
        std::size_t nearest = 0;
        for (std::size_t i = 1; i < kLevels.size(); ++i) {
            if (std::abs(kLevels[i] - part) < std::abs(kLevels[nearest] - part)) {
                nearest = i;
            }
        }
        number = number * 6 + static_cast<int>(nearest);
    }
    return 16 + number;
}

/// Number of the nearest of xterm's sixteen colours, without black and white: those are what the
/// terminal itself writes in.
int ofSixteen(const Rgb& rgb)
{
    static constexpr std::array<Rgb, 16> kColours{{{0, 0, 0},
                                                   {205, 0, 0},
                                                   {0, 205, 0},
                                                   {205, 205, 0},
                                                   {0, 0, 238},
                                                   {205, 0, 205},
                                                   {0, 205, 205},
                                                   {229, 229, 229},
                                                   {127, 127, 127},
                                                   {255, 0, 0},
                                                   {0, 255, 0},
                                                   {255, 255, 0},
                                                   {92, 92, 255},
                                                   {255, 0, 255},
                                                   {0, 255, 255},
                                                   {255, 255, 255}}};
    int nearest = 1;
    for (int i = 1; i < 15; ++i) {
        if (i != 7
            && distance(kColours[static_cast<std::size_t>(i)], rgb)
                < distance(kColours[static_cast<std::size_t>(nearest)], rgb)) {
            nearest = i;
        }
    }
    return nearest;
}

std::string sequence(std::string_view colour, ColourDepth depth, bool is_behind)
{
    if (depth == ColourDepth::none) {
        return {};
    }
    const Rgb rgb = rgbOf(colour);
    const int base = is_behind ? 40 : 30;
    switch (depth) {
    case ColourDepth::full:
        return fmt::format("\x1b[{};2;{};{};{}m", base + 8, rgb[0], rgb[1], rgb[2]);
    case ColourDepth::palette:
        return fmt::format("\x1b[{};5;{}m", base + 8, inCube(rgb));
    case ColourDepth::sixteen: {
        const int number = ofSixteen(rgb);
        return fmt::format("\x1b[{}m", number < 8 ? base + number : base + 60 + number - 8);
    }
    case ColourDepth::none:
        break;
    }
    return {};
}

} // namespace

std::string foreground(std::string_view colour, ColourDepth depth)
{
    return sequence(colour, depth, false);
}

std::string background(std::string_view colour, ColourDepth depth)
{
    return sequence(colour, depth, true);
}

std::string_view plain(ColourDepth depth)
{
    return depth == ColourDepth::none ? "" : "\x1b[0m";
}

} // namespace tidemark::report
