// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/redaction.h"

#include "core/base/ascii.h"
#include "core/base/json_depth.h"
#include "core/base/language.h"
#include "core/pipeline/name_forms.h"
#include "resources/rules/in_use.json.h"
#include "resources/rules/module_names.json.h"
#include "resources/rules/stack_rules.json.h"
#include "resources/traps.json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tidemark::pipeline {
namespace {

using std::string_view;

constexpr std::array<string_view, 42> kSystemFolders{"",
                                                     ".",
                                                     "..",
                                                     "~",
                                                     "home",
                                                     "Home",
                                                     "Users",
                                                     "users",
                                                     "usr",
                                                     "lib",
                                                     "lib64",
                                                     "Lib",
                                                     "local",
                                                     "opt",
                                                     "mnt",
                                                     "tmp",
                                                     "var",
                                                     "etc",
                                                     "dev",
                                                     "proc",
                                                     "shm",
                                                     "src",
                                                     "bin",
                                                     "sbin",
                                                     "root",
                                                     "run",
                                                     "conda",
                                                     "envs",
                                                     "venv",
                                                     ".venv",
                                                     "miniconda3",
                                                     "anaconda3",
                                                     "content",
                                                     "kaggle",
                                                     "build",
                                                     "sys",
                                                     "media",
                                                     "site-packages",
                                                     "dist-packages",
                                                     "python",
                                                     "Program Files",
                                                     "Modules"};

/// Folders whose parts are people's.
constexpr std::array<string_view, 6> kHomes{"home", "Home", "Users", "users", "homes", "export"};

/// A shorter word may stand for anything.
constexpr std::size_t kShortestName = 3;

/// Accounts of everybody: a word of other texts as well.
constexpr std::array<string_view, 20> kSharedAccounts{
    "root",   "user",   "users",  "ubuntu", "admin",  "runner",   "jovyan",
    "vscode", "nobody", "app",    "model",  "train",  "ec2-user", "debian",
    "data",   "test",   "shared", "public", "docker", "conda"};

/// What a rule looks for inside a folder's name.
constexpr std::array<string_view, 2> kToldFolders{"optim", "checkpoint"};

template <std::size_t n>
bool isOneOf(const std::array<string_view, n>& words, string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

/// The folders in the patterns of a catalogue: "/torch/optim/", "peft/tuners/lora/layer.py:merge".
void addFolders(const nlohmann::json& value, bool is_pattern,
                std::set<std::string, std::less<>>& folders)
{
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const std::vector<string_view> parts = partsOf(text);
        for (std::size_t i = 0; is_pattern && i + 1 < parts.size(); ++i) {
            folders.emplace(parts[i]);
        }
        return;
    }
    for (const auto& item : value.items()) {
        const bool has_patterns = value.is_array()
            ? is_pattern
            : item.key() == "file_has" || item.key() == "file" || item.key() == "frames"
                || item.key() == "cloned" || item.key() == "windows";
        if (value.is_structured()) {
            addFolders(item.value(), has_patterns, folders);
        }
    }
}

bool isPythonFolder(string_view word)
{
    constexpr string_view kPython = "python3";
    return word.starts_with(kPython)
        && std::ranges::all_of(word.substr(kPython.size()),
                               [](char c) { return c == '.' || isDigit(c); });
}

constexpr string_view kInductor = "torchinductor_";

/// The user whose home folder a path ends in: "ada" of "/home/ada" and "/home/ada:"; a file is
/// none.
string_view homeAtEnd(string_view before, string_view word)
{
    word = word.substr(0, word.find(':'));
    while (!word.empty() && !isWord(word.back())) {
        word.remove_suffix(1);
    }
    const std::size_t dot = word.rfind('.');
    const bool is_user = isOneOf(kHomes, before) && before != "export"
        && !isOneOf(kSystemFolders, word)
        && (dot == string_view::npos || !isFileEnding(word.substr(dot)));
    return is_user ? word : string_view();
}

/// Of ".lab.example" behind a host's name; a file's ending is none.
std::size_t domainLength(string_view text, std::size_t begin)
{
    constexpr std::size_t kLongest = 253; // RFC 1035; and it is asked for every name in a text.
    text = text.substr(0, begin + kLongest);
    std::size_t end = begin;
    int labels = 0;
    while (end + 1 < text.size() && text[end] == '.' && isWord(text[end + 1])) {
        for (++end; end < text.size() && (isWord(text[end]) || text[end] == '-'); ++end) { }
        ++labels;
    }
    const string_view last = text.substr(0, end);
    return labels > 1 && !isFileEnding(last.substr(last.rfind('.'))) ? end - begin : 0;
}

} // namespace

Redaction::Redaction()
    : m_kept(kSystemFolders.begin(), kSystemFolders.end())
{
    for (const string_view catalogue : {resources::stackRulesJson(), resources::moduleNamesJson(),
                                        resources::inUseJson(), resources::trapsJson()}) {
        addFolders(nlohmann::json::parse(catalogue, limitJsonDepth), false, m_kept);
    }
}

std::string Redaction::named(Names& names, string_view word, string_view kind)
{
    const auto known = names.find(word);
    if (known != names.end()) {
        return known->second;
    }
    if ((&names == &m_users || &names == &m_hosts) && word.size() >= kShortestName) {
        m_lengths.insert(word.size());
    }
    return names.emplace(word, fmt::format("{}-{}", kind, names.size() + 1)).first->second;
}

void Redaction::noteUser(string_view user)
{
    if (user.size() >= kShortestName && !isOneOf(kSharedAccounts, user)
        && !user.starts_with("user-")) {
        named(m_users, user, "user");
    }
}

void Redaction::noteHostUnlocked(string_view host)
{
    if (host.size() < kShortestName || host == "localhost" || host.starts_with("host-")
        || !std::ranges::any_of(host, isLetter)) {
        return;
    }
    named(m_hosts, host, "host");
    // Of "gpu7.lab.example" the machine's own name, too.
    const string_view first = host.substr(0, host.find('.'));
    if (first.size() < host.size() && first.size() >= kShortestName) {
        named(m_hosts, first, "host");
    }
}

void Redaction::noteHost(string_view host)
{
    const std::scoped_lock lock(m_mutex);
    noteHostUnlocked(host);
}

void Redaction::notePathUnlocked(string_view path)
{
    const std::vector<string_view> parts = partsOf(path);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (i + 1 == parts.size()) {
            noteUser(homeAtEnd(parts[i - 1], parts[i]));
            break;
        }
        if (isOneOf(kHomes, parts[i - 1]) && !isOneOf(kSystemFolders, parts[i])) {
            noteUser(parts[i].substr(0, parts[i].find(':'))); // "/home/ada:/opt"
        }
        if (parts[i].starts_with(kInductor)) {
            noteUser(parts[i].substr(kInductor.size()));
        }
    }
    if (!parts.empty()) {
        noteHostUnlocked(hostInName(parts.back()));
    }
}

void Redaction::notePath(string_view path)
{
    const std::scoped_lock lock(m_mutex);
    notePathUnlocked(path);
}

void Redaction::noteFile(string_view path)
{
    const std::scoped_lock lock(m_mutex);
    notePathUnlocked(path);
    // "ada@gpu7:runs/a.pickle", "ssh://ada@gpu7:22/runs/a.pickle"
    constexpr string_view kSsh = "ssh://";
    string_view login = path.starts_with(kSsh) ? path.substr(kSsh.size()) : path;
    login = login.substr(0, login.find_first_of(path.starts_with(kSsh) ? ":/" : ":"));
    if ((path.starts_with(kSsh) || login.size() < path.size()) && !isDrive(path.substr(0, 2))
        && login.find_first_of("/\\ ") == string_view::npos && !login.starts_with('<')) {
        const std::size_t at = login.find('@');
        if (at != string_view::npos) {
            noteUser(login.substr(0, at));
        }
        noteHostUnlocked(login.substr(at == string_view::npos ? 0 : at + 1));
    }
}

void Redaction::noteText(string_view text)
{
    const std::scoped_lock lock(m_mutex);
    for (std::size_t at = text.find('@'); at != string_view::npos; at = text.find('@', at + 1)) {
        std::size_t begin = at;
        std::size_t end = at + 1;
        for (; begin > 0 && isOfMachine(text[begin - 1]); --begin) { }
        for (; end < text.size() && isOfMachine(text[end]); ++end) { }
        for (; end > at + 1 && !isWord(text[end - 1]); --end) { }
        if (begin < at && end > at + 1 && isLetter(text[begin]) && isLetter(text[at + 1])) {
            noteUser(text.substr(begin, at - begin));
            noteHostUnlocked(text.substr(at + 1, end - at - 1));
        }
    }
    // "gpu7:4711:4720 [0] NCCL INFO …"
    constexpr string_view kNccl = "] NCCL ";
    for (std::size_t at = text.find(kNccl); at != string_view::npos;
         at = text.find(kNccl, at + 1)) {
        const std::size_t line = at == 0 ? 0 : text.rfind('\n', at) + 1;
        std::size_t begin = text.rfind(" [", at);
        begin = begin == string_view::npos || begin < line ? line : text.rfind(' ', begin - 1);
        begin = begin == string_view::npos || begin < line ? line
                                                           : begin + (text[begin] == ' ' ? 1 : 0);
        const string_view host = text.substr(begin, text.find(':', begin) - begin);
        if (host.find(' ') == string_view::npos && begin + host.size() < at) {
            noteHostUnlocked(host);
        }
    }
    for (std::size_t begin = 0; begin < text.size();) {
        if (endsPath(text[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        for (; end < text.size() && !endsPath(text[end]); ++end) { }
        if (looksLikePath(text.substr(begin, end - begin))) {
            notePathUnlocked(text.substr(begin, end - begin));
        }
        begin = end;
    }
}

std::string Redaction::component(string_view word, string_view before)
{
    if (isOneOf(kHomes, before) && !isOneOf(kSystemFolders, word)) {
        return named(m_users, word, "user");
    }
    if (m_kept.contains(word) || isPythonFolder(word) || isDrive(word)) {
        return std::string(word);
    }
    if (word.starts_with(kInductor)) {
        return std::string(kInductor) + named(m_users, word.substr(kInductor.size()), "user");
    }
    if (const auto user = m_users.find(word); user != m_users.end()) {
        return user->second;
    }
    std::string made = named(m_folders, word, "folder");
    for (const string_view told : kToldFolders) {
        if (word.find(told) != string_view::npos) {
            made.append("-").append(told);
        }
    }
    return made;
}

std::string Redaction::pathUnlocked(string_view path)
{
    const std::size_t last = path.find_last_of("/\\");
    if (last == string_view::npos) {
        return withoutNames(path);
    }
    std::string made;
    string_view before;
    for (const string_view part : partsOf(path.substr(0, last))) {
        const std::size_t end = static_cast<std::size_t>(part.data() - path.data()) + part.size();
        // Of an address "gpu7:runs" and "ssh:".
        const std::size_t colon = isDrive(part) ? string_view::npos : part.find(':');
        made += colon == string_view::npos
            ? component(part, before)
            : withoutNames(part.substr(0, colon + 1)) + component(part.substr(colon + 1), "");
        made += path[end];
        before = part;
    }
    const string_view end = path.substr(last + 1);
    const string_view user = homeAtEnd(before, end);
    return user.empty()
        ? made + withoutNames(end)
        : made + named(m_users, user, "user") + withoutNames(end.substr(user.size()));
}

std::string Redaction::path(string_view path)
{
    const std::scoped_lock lock(m_mutex);
    return pathUnlocked(path);
}

/// The longest user's or host's name that the text has from `at` on, up to the end of a word.
Redaction::Known Redaction::nameAt(string_view text, std::size_t at) const
{
    for (const std::size_t length : m_lengths) {
        const std::size_t end = at + length;
        if (end > text.size() || (end < text.size() && isWord(text[end]))) {
            continue;
        }
        const string_view word = text.substr(at, length);
        const auto user = m_users.find(word);
        if (user != m_users.end() && !isOneOf(kSharedAccounts, word)) {
            return {length, user->second};
        }
        if (const auto host = m_hosts.find(word); host != m_hosts.end()) {
            return {length + domainLength(text, end), host->second};
        }
    }
    return {};
}

std::string Redaction::withoutNames(string_view text)
{
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        Known known;
        if (at == 0 || !isWord(text[at - 1])) {
            known = nameAt(text, at);
            const string_view rest = text.substr(at);
            // Addresses stand behind anything: "eth0:10.0.0.7", "tcp://10.0.0.7:29500".
            const std::size_t length =
                known.length > 0 || (at > 0 && text[at - 1] == '.') ? 0 : addressLength(rest);
            if (length > 0 && !rest.starts_with("127.") && !rest.starts_with("0.0.")) {
                known = {length, named(m_addresses, rest.substr(0, length), "address")};
            }
        }
        made += known.length > 0 ? string_view(known.other) : text.substr(at, 1);
        at += std::max<std::size_t>(known.length, 1);
    }
    return made;
}

std::string Redaction::name(string_view text)
{
    const std::scoped_lock lock(m_mutex);
    return withoutNames(text);
}

std::string Redaction::text(string_view text)
{
    const std::scoped_lock lock(m_mutex);
    std::string made;
    std::string plain;
    const auto flush = [&] {
        made += withoutNames(plain);
        plain.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        // A path in quotes may have blanks.
        if (c == '"' || c == '\'') {
            const std::size_t end = text.find_first_of(std::string{c, '\n'}, at + 1);
            const string_view inside =
                text.substr(at + 1, end == string_view::npos ? 0 : end - at - 1);
            if (!inside.empty() && text[end] == c && looksLikePath(inside)
                && (isSlash(inside[0]) || inside[0] == '~' || isDrive(inside.substr(0, 2)))) {
                plain += c;
                flush();
                made += pathUnlocked(inside);
                at = end;
                continue;
            }
        }
        if (endsPath(c)) {
            plain += c;
            ++at;
            continue;
        }
        std::size_t end = at;
        for (; end < text.size() && !endsPath(text[end]); ++end) { }
        const string_view token = text.substr(at, end - at);
        at = end;
        if (looksLikePath(token)) {
            flush();
            made += pathUnlocked(token);
            continue;
        }
        plain += token;
    }
    flush();
    return made;
}

std::string Redaction::sentence() const
{
    const std::scoped_lock lock(m_mutex);
    return say("Names are replaced: users ({}), hosts ({}) and folders ({}).", m_users.size(),
               m_hosts.size() + m_addresses.size(), m_folders.size());
}

} // namespace tidemark::pipeline
