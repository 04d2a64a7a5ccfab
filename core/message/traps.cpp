// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/traps.h"

#include "core/base/ascii.h"
#include "core/message/log_window.h"
#include "core/message/word_finder.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tidemark::diagnose {
namespace {

bool isWordByte(char c)
{
    return isDigit(c) || isLetter(c);
}

bool isNameByte(char c)
{
    return isWordByte(c) || c == '_';
}

/// "/" for every run of slashes of either kind before `end`; false where `path` is not what stands
/// there, whole components of it.
bool endsWithPath(std::string_view text, std::size_t end, std::string_view path)
{
    std::size_t at = end;
    for (std::size_t i = path.size(); i > 0; --i) {
        if (at == 0) {
            return false;
        }
        if (path[i - 1] == '/') {
            if (text[at - 1] != '/' && text[at - 1] != '\\') {
                return false;
            }
            while (at > 0 && (text[at - 1] == '/' || text[at - 1] == '\\')) {
                --at;
            }
            continue;
        }
        if (lowered(text[at - 1]) != lowered(path[i - 1])) {
            return false;
        }
        --at;
    }
    return at == 0 || !(isNameByte(text[at - 1]) || text[at - 1] == '-' || text[at - 1] == '.');
}

std::string_view nameAt(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (end < text.size() && isNameByte(text[end])) {
        ++end;
    }
    return text.substr(at, end - at);
}

/// The function that a traceback names beside a file: behind it, or before it as py-spy does.
std::string_view functionBeside(std::string_view text, std::size_t end)
{
    static constexpr std::size_t kBehind = 160;
    static constexpr std::size_t kBefore = 300;
    const std::string_view behind = text.substr(end, kBehind);
    const std::string_view line = behind.substr(0, behind.find('\n'));
    std::size_t at = line.find_first_not_of("\"' ,:)");
    if (line.substr(std::min(at, line.size())).starts_with("line ")) {
        at += 5;
    }
    const std::size_t number = at;
    while (at < line.size() && isDigit(line[at])) {
        ++at;
    }
    if (at >= line.size() || at == number) {
        at = std::min(number, line.size()); // no line number
    }
    const std::size_t word = line.find_first_not_of(", :)", at);
    if (word != std::string_view::npos) {
        if (line.substr(word).starts_with("in ")) {
            return nameAt(line, word + 3);
        }
        const char before = line[word - (word > 0 ? 1 : 0)];
        if (before == ':' && isNameByte(line[word])) {
            return nameAt(line, word);
        }
    }
    // "nested_concat (transformers/trainer_pt_utils.py:97)"
    const std::size_t from = end - std::min(end, kBefore);
    const std::string_view ahead = text.substr(from, end - from);
    const std::size_t open = ahead.rfind('(');
    if (open == std::string_view::npos || ahead.find('\n', open) != std::string_view::npos) {
        return {};
    }
    const std::size_t last = ahead.find_last_not_of(" \t", open == 0 ? 0 : open - 1);
    if (last == std::string_view::npos || open == 0) {
        return {};
    }
    std::size_t begin = last + 1;
    while (begin > 0 && isNameByte(ahead[begin - 1])) {
        --begin;
    }
    return ahead.substr(begin, last + 1 - begin);
}

std::optional<double> figureOf(std::string_view name, const OomMessage& message)
{
    struct Named {
        std::string_view name;
        std::optional<Bytes> OomMessage::*field;
    };
    static constexpr std::array<Named, 9> kNamed{{{"tried", &OomMessage::tried},
                                                  {"total", &OomMessage::total},
                                                  {"free", &OomMessage::free},
                                                  {"allocated", &OomMessage::allocated},
                                                  {"reserved", &OomMessage::reserved},
                                                  {"cached", &OomMessage::cached},
                                                  {"unallocated", &OomMessage::unallocated},
                                                  {"allowed", &OomMessage::allowed},
                                                  {"this_process", &OomMessage::this_process}}};
    const auto* const found = std::ranges::find(kNamed, name, &Named::name);
    if (found == kNamed.end() || !(message.*(found->field))) {
        return std::nullopt;
    }
    return static_cast<double>((message.*(found->field))->value);
}

/// "total*0.5+free": from left to right, products before sums.
std::optional<double> valueOf(std::string_view words, const OomMessage& message)
{
    for (const char sign : {'+', '-', '*'}) {
        const std::size_t at = words.rfind(sign);
        if (at == std::string_view::npos) {
            continue;
        }
        const auto left = valueOf(words.substr(0, at), message);
        const auto right = valueOf(words.substr(at + 1), message);
        if (!left || !right) {
            return std::nullopt;
        }
        return sign == '+' ? *left + *right : sign == '-' ? *left - *right : *left * *right;
    }
    if (!words.empty() && isDigit(words.front())) {
        double number = 0;
        const auto done = std::from_chars(words.data(), words.data() + words.size(), number);
        return done.ec == std::errc{} ? std::optional(number) : std::nullopt;
    }
    return figureOf(words, message);
}

/// Where the last error begins that has nothing to do with memory ("TypeError: unsupported
/// operand"), or npos: what stands before it did not end the run. O(text).
std::size_t lastOtherError(std::string_view text)
{
    static constexpr std::array<std::string_view, 16> kOthers{
        "\nTypeError: ",       "\nKeyError: ",      "\nValueError: ",       "\nAttributeError: ",
        "\nIndexError: ",      "\nImportError: ",   "\nNameError: ",        "\nModuleNotFoundError",
        "\nFileNotFoundError", "\nAssertionError",  "\nKeyboardInterrupt",  "\nNotImplementedError",
        "\nZeroDivisionError", "\nPermissionError", "\nUnicodeDecodeError", "\nConnectionError"};
    std::size_t last = std::string_view::npos;
    for (const std::string_view error : kOthers) {
        const std::size_t at = text.rfind(error);
        if (at == std::string_view::npos || (last != std::string_view::npos && at < last)) {
            continue;
        }
        const std::string line = lowered(lineAt(text, at + 2));
        if (line.find("memory") == std::string::npos && line.find("alloc") == std::string::npos) {
            last = at;
        }
    }
    return last;
}

bool compares(double left, std::string_view sign, double right)
{
    return sign == "<" ? left < right
        : sign == "<=" ? left <= right
        : sign == ">"  ? left > right
        : sign == ">=" ? left >= right
                       : left == right;
}

/// Where the text has an option with a number that is in relation: "name=1.0", "--name 1.0", "name
/// of 1.0"; 0: nowhere. O(text).
std::size_t placeOfOption(std::string_view named, const TrapOption& option)
{
    for (std::size_t at = named.find(option.name); at != std::string_view::npos;
         at = named.find(option.name, at + 1)) {
        std::string_view behind = named.substr(at + option.name.size(), 24);
        for (const std::string_view word : {"_of_", "_is_", "_to_", "_at_", "_was_"}) {
            behind.remove_prefix(behind.starts_with(word) ? word.size() : 0);
        }
        behind.remove_prefix(std::min(behind.find_first_not_of("_=:\"'`("), behind.size()));
        double number = 0;
        const auto done = std::from_chars(behind.data(), behind.data() + behind.size(), number);
        if (done.ec == std::errc{} && compares(number, option.sign, option.number)) {
            return at + option.name.size();
        }
    }
    return 0;
}

/// A path inside an installed library that is not the trap's own.
bool isOfOtherLibrary(std::string_view text, std::size_t end, const Trap& trap)
{
    const std::string_view line = lineAt(text, end - 1, kMostTrapPath);
    return lowered(line).find("-packages/") != std::string::npos && !isOfLibrary(trap, line);
}

} // namespace

bool TrapFrame::isFunction(std::string_view name) const
{
    if (function == "*" || function == name) {
        return true;
    }
    const std::size_t dot = name.rfind('.'); // a qualified name, "Trainer.step"
    return dot != std::string_view::npos && name.substr(dot + 1) == function;
}

bool TrapFrame::isIn(std::string_view file) const
{
    return endsWithPath(file, file.size(), path);
}

void TrapSigns::addPhrase(std::string_view text, std::size_t phrase, std::size_t end)
{
    static constexpr std::size_t kShort = 3;
    const TrapCatalogue& catalogue = trapCatalogue();
    const std::string& words = catalogue.phrases[phrase];
    const std::string& squeezed_words = catalogue.squeezed_phrases[phrase];
    std::size_t begin = end;
    for (std::size_t left = squeezed_words.size(); left > 0 && begin > 0; --begin) {
        left -= static_cast<std::size_t>(squeezed(text[begin - 1]) != '\0');
    }
    const bool begins_inside = isWordByte(squeezed_words.front()) && begin > 0
        && isWordByte(text[begin - 1]) && isWordByte(text[begin]);
    const bool wants_end = words.back() == ' ' || squeezed_words.size() <= kShort;
    const bool ends_inside = wants_end && isWordByte(squeezed_words.back()) && end < text.size()
        && isWordByte(text[end]);
    const bool cuts_number =
        isDigit(squeezed_words.back()) && end < text.size() && isDigit(text[end]);
    if (begins_inside || ends_inside || cuts_number) {
        return;
    }
    phrases.resize(catalogue.phrases.size());
    phrases[phrase] = std::max(phrases[phrase], end);
}

void TrapSigns::addFile(std::string_view text, std::size_t file, std::size_t end)
{
    const TrapCatalogue& catalogue = trapCatalogue();
    const std::string_view name = functionBeside(text, end);
    for (const std::size_t index : catalogue.frames_of_file[file]) {
        const TrapFrame& frame = catalogue.frames[index];
        // People and tools cut paths: then the file's name must be told by the function.
        const bool is_cut = end <= catalogue.files[file].size()
            || !(text[end - catalogue.files[file].size() - 1] == '/'
                 || text[end - catalogue.files[file].size() - 1] == '\\');
        const std::string_view path = frame.path;
        const bool is_path = endsWithPath(text, end, path)
            || (is_cut && frame.function != "*"
                && endsWithPath(text, end, path.substr(path.rfind('/') + 1)));
        if (is_path && (frame.function == "*" || frame.function == name)) {
            frames.resize(catalogue.frames.size());
            frames[index] = std::max(frames[index], end);
        }
    }
}

void TrapSigns::addPost(std::string_view text)
{
    if (text.size() > kPostedText) {
        return;
    }
    static const SayingFinder kFinder(trapCatalogue().sayings);
    sayings = kFinder.find(text);
    faults = codeFaults(text);
    std::string named = lowered(text);
    std::ranges::replace_if(
        named, [](char c) { return c == '-' || c == ' '; }, '_');
    for (const TrapOption& option : trapCatalogue().options) {
        options.push_back(placeOfOption(named, option));
    }
}

bool holds(std::string_view relation, const OomMessage& message)
{
    const std::size_t at = relation.find_first_of("<>=");
    if (at == std::string_view::npos) {
        return false;
    }
    const std::size_t behind = relation.find_first_not_of("<>=", at);
    const std::string_view sign = relation.substr(at, behind - at);
    const auto left = valueOf(relation.substr(0, at), message);
    const auto right = valueOf(relation.substr(std::min(behind, relation.size())), message);
    if (!left || !right) {
        return false;
    }
    return compares(*left, sign, *right);
}

std::vector<TrapMatch> matchTraps(const TrapSigns& signs, const TrapText& in)
{
    static constexpr double kCutOff = 0.05; ///< Less sure without the error's own line.
    const auto placeOf = [](const std::vector<std::size_t>& places, std::size_t index) {
        return index < places.size() ? places[index] : 0;
    };
    struct Found {
        TrapMatch match;
        std::size_t place = 0;
        std::size_t parts = 0;
    };
    std::vector<Found> found;
    std::optional<std::size_t> other_error; // Looked for once, where frames alone are a sign.
    const auto isBeforeOtherError = [&](std::size_t place) {
        if (!other_error) {
            other_error = lastOtherError(in.text);
        }
        return *other_error != std::string_view::npos && *other_error >= place;
    };
    for (const Trap& trap : trapCatalogue().traps) {
        if (std::ranges::any_of(trap.absent,
                                [&](std::size_t p) { return placeOf(signs.phrases, p) > 0; })
            || (!trap.figures.empty()
                && (in.message == nullptr || !holds(trap.figures, *in.message)))) {
            continue;
        }
        Found best{{&trap, 0, false, nullptr, 0}, 0, 0};
        for (const TrapSign& sign : trap.signs) {
            std::size_t place = 0;
            std::size_t first = 0;
            bool is_there =
                sign.figures.empty() || (in.message != nullptr && holds(sign.figures, *in.message));
            const auto take = [&](std::size_t at) {
                is_there = is_there && at > 0;
                place = std::max(place, at);
                first = first == 0 ? at : first;
            };
            for (const std::size_t phrase : sign.phrases) {
                take(placeOf(signs.phrases, phrase));
            }
            for (const std::size_t frame : sign.frames) {
                take(placeOf(signs.frames, frame));
                is_there =
                    is_there && !isOfOtherLibrary(in.text, placeOf(signs.frames, frame), trap);
            }
            for (const std::size_t saying : sign.sayings) {
                take(placeOf(signs.sayings, saying));
            }
            is_there = is_there
                && (sign.sayings.empty() || in.message != nullptr || in.shows_event
                    || in.speaks_of_memory);
            for (const std::size_t option : sign.options) {
                take(placeOf(signs.options, option));
            }
            const bool by_frames = sign.isByFrames();
            const bool shows_want = in.message != nullptr || in.shows_event;
            const CodeHit* fault = nullptr;
            for (const CodeFault wanted : sign.faults) {
                const auto hit = std::ranges::find(signs.faults, wanted, &CodeHit::fault);
                is_there =
                    is_there && hit != signs.faults.end() && (shows_want || in.speaks_of_memory);
                if (is_there) {
                    fault = &*hit;
                    place = std::max(place, hit->end);
                }
            }
            if (!is_there || (by_frames && !shows_want && in.text.size() > kPostedText)
                || (by_frames && isBeforeOtherError(place))) {
                continue;
            }
            const double score = sign.strength - (by_frames && !shows_want ? kCutOff : 0);
            const std::size_t parts = sign.phrases.size()
                + 2
                    * (sign.frames.size() + sign.sayings.size() + sign.options.size()
                       + sign.faults.size());
            if (score > best.match.score || (score == best.match.score && parts > best.parts)) {
                best = {{&trap, score, by_frames, fault, first}, place, parts};
            }
        }
        if (best.match.score > 0) {
            found.push_back(best);
        }
    }
    // Of two that are as sure, the one that is further inside, then the one with more signs.
    const auto rank = [](const Found& f) { return static_cast<int>(f.match.score * 20 + 0.5); };
    std::ranges::stable_sort(found, [&](const Found& a, const Found& b) {
        if (rank(a) != rank(b)) {
            return rank(a) > rank(b);
        }
        return a.match.by_frames && b.match.by_frames ? a.place > b.place : a.parts > b.parts;
    });
    std::vector<TrapMatch> matches;
    for (const Found& f : found) {
        matches.push_back(f.match);
    }
    return matches;
}

} // namespace tidemark::diagnose
