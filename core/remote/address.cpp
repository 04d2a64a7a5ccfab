// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/address.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tidemark::remote {
namespace {

constexpr std::string_view kScheme = "ssh://";
constexpr std::size_t kLongestName = 200;

/// What ssh, its configuration and ProxyCommand (whose %r and %h a shell reads) can hold without
/// meaning something else. Other names need a Host of their own in ssh's configuration.
bool isName(std::string_view text, std::string_view further)
{
    return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [&](char c) {
        return isLetter(c) || isDigit(c) || further.find(c) != std::string_view::npos;
    });
}

bool isHost(std::string_view text)
{
    return isName(text, "._-");
}

bool isNumberOfSix(std::string_view text)
{
    return !text.empty() && text.find(':') != std::string_view::npos
        && std::ranges::all_of(text, [](char c) {
               return isDigit(c) || isLetter(c) || c == ':' || c == '.' || c == '%';
           });
}

int hexValue(char c)
{
    if (isDigit(c)) {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hexValue(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hexValue(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        result += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return result;
}

/// Takes "user@" and "[…]" or "host" from the start of `text`.
bool takeLogin(std::string_view& text, Address& address)
{
    const std::size_t at = text.find('@');
    const std::size_t end = text.find_first_of(":/");
    if (at != std::string_view::npos && at < end) {
        address.user = text.substr(0, at);
        if (!isName(address.user, "._-+")) {
            return false;
        }
        text.remove_prefix(at + 1);
    }
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) {
            return false;
        }
        address.host = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
        return isNumberOfSix(address.host);
    }
    const std::size_t after = std::min(text.find_first_of(":/"), text.size());
    address.host = text.substr(0, after);
    text.remove_prefix(after);
    return isHost(address.host);
}

std::optional<Address> parseUrl(std::string_view text)
{
    Address address;
    text.remove_prefix(kScheme.size());
    if (!takeLogin(text, address)) {
        return std::nullopt;
    }
    if (text.starts_with(':')) {
        const std::size_t slash = std::min(text.find('/'), text.size());
        address.port = text.substr(1, slash - 1);
        text.remove_prefix(slash);
        constexpr std::size_t kMostDigits = 5;
        if (address.port.size() > kMostDigits || address.port.empty()
            || !std::ranges::all_of(address.port, isDigit)) {
            return std::nullopt;
        }
    }
    if (text.size() < 2) {
        return std::nullopt;
    }
    const std::optional<std::string> path = decoded(text);
    if (!path || path->find('\0') != std::string::npos) {
        return std::nullopt;
    }
    address.path = path->starts_with("/~/") ? path->substr(3) : *path;
    if (address.path.empty()) {
        address.path = ".";
    }
    return address;
}

} // namespace

std::string Address::login() const
{
    return user.empty() ? host : user + "@" + host;
}

std::string Address::text() const
{
    const bool is_six = host.find(':') != std::string::npos;
    const std::string where = (user.empty() ? "" : user + "@") + (is_six ? "[" + host + "]" : host);
    if (port.empty()) {
        return where + ":" + path;
    }
    return std::string(kScheme) + where + ":" + port + (path.starts_with('/') ? "" : "/~/") + path;
}

std::string Address::fileName() const
{
    std::string_view rest = path;
    while (rest.ends_with('/')) {
        rest.remove_suffix(1);
    }
    std::string name(rest.substr(rest.rfind('/') + 1));
    if (name.size() > kLongestName) {
        name.erase(0, name.size() - kLongestName); // The end tells what it is.
    }
    const bool has_none = name.empty() || name.find_first_not_of('.') == std::string::npos;
    return has_none ? "snapshot" : name;
}

Address Address::in(std::string_view name) const
{
    Address file = *this;
    file.path.append(path.ends_with('/') ? "" : "/").append(name);
    return file;
}

std::optional<Address> farAddress(const std::string& text)
{
    std::error_code failure;
    std::optional<Address> address = parseAddress(text);
    return address && !std::filesystem::exists(text, failure) ? address : std::nullopt;
}

std::optional<Address> parseAddress(std::string_view text)
{
    if (text.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    if (text.starts_with(kScheme)) {
        return parseUrl(text);
    }
    Address address;
    if (!takeLogin(text, address) || !text.starts_with(':') || text.size() < 2) {
        return std::nullopt;
    }
    address.path = text.substr(1);
    const bool is_drive = address.user.empty() && address.host.size() == 1;
    const bool is_other_url = address.path.starts_with("//");
    const bool is_sentence = address.path.starts_with(' '); // "RuntimeError: CUDA out of memory"
    return is_drive || is_other_url || is_sentence ? std::nullopt : std::optional(address);
}

} // namespace tidemark::remote
