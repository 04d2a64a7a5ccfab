// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/far_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidemark::remote {
namespace {

constexpr std::string_view kMark = "tidemark-far ";
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 40; ///< 1 EiB.

/// After "path=…" and what is here already. `stat` is asked in both dialects. Files are opened by
/// the shell, so that no name is an option. What unpacks zstd passes over a frame that is marked as
/// skippable (RFC 8878, 3.1.2), and of gzip over a member of no bytes with a comment (RFC 1952,
/// 2.3). A folder is listed as pipeline::findDumps does here: eight folders deep, without links and
/// what is hidden.
constexpr std::string_view kScript = R"sh(
LC_ALL=C
export LC_ALL
size_and_time() {
    stat -L -c '%s %Y' "$1" 2>/dev/null || stat -L -f '%z %m' "$1" 2>/dev/null
}
has() {
    command -v "$1" >/dev/null 2>&1
}
list() {
    for file in "$1"*; do
        [ -h "$file" ] && continue
        if [ -d "$file" ]; then
            [ "$2" = 0 ] || list "$file/" $(($2 - 1))
            continue
        fi
        case $file in
        *.tidemark-rules.json) continue ;;
        *.pickle | *.pkl | *.gz | *.xz | *.zst | *.bz2 | *.lz4 | *.zip | *.tar | *.tgz | *.tzst | *.json | *.html) ;;
        *) continue ;;
        esac
        [ -f "$file" ] && stamp=$(size_and_time "$file") && printf '%s %s\0' "$stamp" "${file#"$path"/}"
    done
}
if [ -d "$path" ]; then
    printf 'tidemark-far folder\n'
    list "$path/" 8
elif [ ! -e "$path" ]; then
    printf 'tidemark-far missing\n'
elif [ ! -f "$path" ] || [ ! -r "$path" ]; then
    printf 'tidemark-far unreadable\n'
else
    case $path in
    *.gz | *.xz | *.zst | *.bz2 | *.lz4 | *.zip | *.tgz) with=cat ;;
    *) if ! has dd; then with=cat; elif has zstd; then with=zstd; elif has gzip; then with=gzip; else with=cat; fi ;;
    esac
    stamp=$(size_and_time "$path")
    size=${stamp%% *}
    [ "$with $stamp" = "$want" ] && has dd || from=0
    printf 'tidemark-far file %s %s %s\n' "$with" "$from" "$stamp"
    case $with in
    zstd)
        pack() { zstd -q -3 -c; }
        mark='\120\052\115\030\046\000\000\000tidemark %s %012d'
        ;;
    gzip)
        pack() { gzip -1 -c; }
        mark='\037\213\010\020\000\000\000\000\000\003tidemark %s %012d\000\003\000\000\000\000\000\000\000\000\000'
        ;;
    *)
        [ "$from" = 0 ] && exec cat <"$path"
        exec dd bs=1048576 skip="$from" <"$path" 2>/dev/null
        ;;
    esac
    if [ -z "$size" ]; then
        pack <"$path"
        exit
    fi
    while [ $((from * 1048576)) -lt "$size" ]; do
        { dd bs=1048576 skip="$from" count=8 <"$path" 2>/dev/null || kill $$; } | pack || exit 1
        from=$((from + 8))
        printf "$mark" "$key" "$from"
    done
fi
)sh";

/// One word of a shell, whatever it holds.
std::string shellQuoted(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            result += c;
        }
    }
    return result + "'";
}

/// Takes the next word, up to a space.
std::string_view takeWord(std::string_view& text)
{
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

/// Whether a name stays in its folder, whatever the other side says.
bool isInside(std::string_view name)
{
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('/'), name.size());
        const std::string_view part = name.substr(0, end);
        if (part.empty() || part == "." || part == "..") {
            return false;
        }
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return true;
}

template <class Number>
bool parseNumber(std::string_view word, Number& number)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
}

} // namespace

std::string_view packerName(Packer packer)
{
    switch (packer) {
    case Packer::zstd:
        return "zstd";
    case Packer::gzip:
        return "gzip";
    case Packer::none:
        break;
    }
    return "cat";
}

std::string farScript(const std::string& path, const std::string& key, const FarPart& part)
{
    // A relative path must not begin with a dash, nor a tilde stand for anything but the home.
    std::string_view rest = path;
    if (rest.starts_with("~/")) {
        rest.remove_prefix(2);
    }
    const std::string_view before = rest.starts_with('/') ? "" : "./";
    return fmt::format("cd\npath={}\nkey={}\nwant='{} {} {}'\nfrom={}",
                       shellQuoted(std::string(before) + std::string(rest)), shellQuoted(key),
                       packerName(part.packer), part.size, part.modified, part.holds / kBlockBytes)
        + std::string(kScript);
}

std::optional<FarAnswer> findAnswer(std::string_view output)
{
    std::size_t at = output.find(kMark);
    while (at != std::string_view::npos && at > 0 && output[at - 1] != '\n') {
        at = output.find(kMark, at + 1);
    }
    const std::size_t end = at == std::string_view::npos ? at : output.find('\n', at);
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view line = output.substr(at + kMark.size(), end - at - kMark.size());
    FarAnswer answer;
    answer.end = end + 1;
    const std::string_view kind = takeWord(line);
    if (kind == "file") {
        answer.kind = FarKind::file;
        const std::string_view packer = takeWord(line);
        for (const Packer known : {Packer::zstd, Packer::gzip}) {
            answer.packer = packer == packerName(known) ? known : answer.packer;
        }
        std::uint64_t blocks = 0;
        if (!parseNumber(takeWord(line), blocks) || blocks > kMostBlocks) {
            return std::nullopt;
        }
        answer.from = blocks * kBlockBytes;
        // Without `stat` both are unknown: 0.
        const std::string_view size = takeWord(line);
        const std::string_view time = takeWord(line);
        const bool has_both = parseNumber(size, answer.size) && parseNumber(time, answer.modified);
        if (!has_both) {
            answer.size = 0;
            answer.modified = 0;
        }
    } else if (kind == "folder") {
        answer.kind = FarKind::folder;
    } else if (kind == "unreadable") {
        answer.kind = FarKind::unreadable;
    } else if (kind != "missing") {
        return std::nullopt;
    }
    return answer;
}

std::vector<FarFile> parseListing(std::string_view listing)
{
    std::vector<FarFile> files;
    while (!listing.empty()) {
        const std::size_t end = listing.find('\0');
        if (end == std::string_view::npos) {
            break; // The connection was lost within an entry.
        }
        std::string_view entry = listing.substr(0, end);
        listing.remove_prefix(end + 1);
        FarFile file;
        const std::string_view size = takeWord(entry);
        const std::string_view time = takeWord(entry);
        if (parseNumber(size, file.size) && parseNumber(time, file.modified) && !entry.empty()
            && !entry.ends_with('/') && isInside(entry)) {
            file.name = entry;
            files.push_back(std::move(file));
        }
    }
    std::ranges::sort(files, [](const FarFile& a, const FarFile& b) {
        return a.modified != b.modified ? a.modified > b.modified : a.name < b.name;
    });
    return files;
}

} // namespace tidemark::remote
