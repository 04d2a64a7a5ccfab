// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/name_forms.h"

#include "core/base/ascii.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::pipeline {

using std::string_view;

namespace {

constexpr std::array<string_view, 30> kFileEndings{
    ".py",  ".pyc", ".pickle", ".pkl",  ".pt",  ".pth",  ".json", ".yaml", ".yml",         ".so",
    ".cpp", ".cc",  ".cu",     ".h",    ".txt", ".log",  ".sh",   ".bin",  ".safetensors", ".ckpt",
    ".gz",  ".xz",  ".csv",    ".html", ".md",  ".toml", ".cfg",  ".ini",  ".ipynb",       ".zip"};

} // namespace

bool isFileEnding(string_view ending)
{
    return std::ranges::find(kFileEndings, ending) != kFileEndings.end();
}

bool isWord(char c)
{
    return isLetter(c) || isDigit(c) || static_cast<unsigned char>(c) > 127;
}

bool isOfMachine(char c)
{
    return isWord(c) || c == '-' || c == '.' || c == '_';
}

std::vector<string_view> partsOf(string_view path)
{
    std::vector<string_view> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= path.size(); ++i) {
        if (i == path.size() || isSlash(path[i])) {
            parts.push_back(path.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    return parts;
}

bool isDrive(string_view word)
{
    return word.size() == 2 && word[1] == ':' && isLetter(word[0]);
}

bool endsPath(char c)
{
    return static_cast<unsigned char>(c) <= ' '
        || string_view("\"'`()[]{}<>,;|=*?").find(c) != string_view::npos;
}

bool looksLikePath(string_view token)
{
    const std::size_t slash = token.find_first_of("/\\");
    if (slash == string_view::npos) {
        return false;
    }
    if (slash == 0 || token.starts_with("~") || token.starts_with("./") || token.starts_with("../")
        || isDrive(token.substr(0, 2))) {
        return std::ranges::any_of(token, isWord);
    }
    if (std::ranges::any_of(kFileEndings, [&](string_view end) { return token.ends_with(end); })) {
        return true;
    }
    const std::vector<string_view> parts = partsOf(token);
    return parts.size() > 2 && token.find('\\') == string_view::npos
        && std::ranges::all_of(parts, [](string_view part) {
               return part.empty() || std::ranges::any_of(part, isLetter);
           });
}

string_view hostInName(string_view file)
{
    constexpr std::array<string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    constexpr std::size_t kLongestMonth = 3;
    constexpr std::size_t kTimeDigits = 9;
    for (std::size_t i = file.find('_'); i != string_view::npos && i > 0;
         i = file.find('_', i + 1)) {
        const string_view rest = file.substr(i + 1);
        const auto digits = [](string_view text) {
            return std::min(text.find_first_not_of("0123456789"), text.size());
        };
        if (std::ranges::find(kMonths, rest.substr(0, kLongestMonth)) != kMonths.end()
            && rest.size() > kLongestMonth + 2 && rest[kLongestMonth] == '_'
            && digits(rest.substr(kLongestMonth + 1)) == 2) {
            return file.substr(0, i);
        }
        const std::size_t process = digits(rest);
        if (process > 0 && process < rest.size() && rest[process] == '.'
            && digits(rest.substr(process + 1)) >= kTimeDigits) {
            return file.substr(0, i);
        }
    }
    return {};
}

namespace {

/// Of "10.0.0.7"
std::size_t lengthOfFourNumbers(string_view text)
{
    std::size_t at = 0;
    for (int part = 0; part < 4; ++part) {
        int value = 0;
        const std::size_t begin = at;
        for (; at < text.size() && isDigit(text[at]) && at - begin < 3; ++at) {
            value = value * 10 + (text[at] - '0');
        }
        const bool is_last = part == 3;
        if (at == begin || value > 255 || (!is_last && (at >= text.size() || text[at] != '.'))) {
            return 0;
        }
        at += is_last ? 0 : 1;
    }
    // A full stop may end the sentence.
    const bool goes_on = at < text.size()
        && (isWord(text[at]) || (text[at] == '.' && at + 1 < text.size() && isWord(text[at + 1])));
    return goes_on ? 0 : at;
}

/// Of "2001:db8::7", "fd00::7", "fe80::7": all that machines on a network have (RFC 4291). Other
/// first groups would take C++ names: "c10::add".
std::size_t lengthOfEightGroups(string_view text)
{
    const bool is_global = text.starts_with('2') || text.starts_with('3');
    const bool is_local = text.starts_with("fc") || text.starts_with("fd")
        || (text.starts_with("fe") && text.size() > 2
            && string_view("89ab").find(text[2]) != string_view::npos);
    text = text.substr(0, INET6_ADDRSTRLEN + 1); // What is longer is none; and it is asked often.
    std::size_t end = text.find_first_not_of("0123456789abcdefABCDEF:");
    if ((!is_global && !is_local) || text.find(':') != 4
        || (end != string_view::npos && isWord(text[end]))) {
        return 0;
    }
    end = std::min(end, text.size());
    if (text[end - 1] == ':' && text[end - 2] != ':') { // "fd00::7: connected"
        --end;
    }
    in6_addr address;
    return inet_pton(AF_INET6, std::string(text.substr(0, end)).c_str(), &address) == 1 ? end : 0;
}

} // namespace

std::size_t addressLength(string_view text)
{
    const std::size_t length = lengthOfFourNumbers(text);
    return length > 0 ? length : lengthOfEightGroups(text);
}

} // namespace tidemark::pipeline
