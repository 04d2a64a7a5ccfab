// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/parser_words.h"

#include "core/base/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace tidemark::cli {
namespace {

template <class Number>
std::optional<Number> parsed(std::string_view text)
{
    Number number{};
    const char* const last = text.data() + text.size();
    const auto result = std::from_chars(text.data(), last, number);
    return result.ec == std::errc() && result.ptr == last ? std::optional(number) : std::nullopt;
}

/// How many letters are to be put in, left out, replaced or swapped with their neighbour to make
/// `b` of `a`. O(length²).
std::size_t changesBetween(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t> row(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last = std::exchange(last, std::move(row));
    }
    return last.back();
}

std::string joined(const std::vector<std::string>& words)
{
    return fmt::format("{}", fmt::join(words, ", "));
}

/// The command that was chosen, or the program.
const CLI::App& chosenIn(const CLI::App& program)
{
    const auto chosen = program.get_subcommands();
    return chosen.empty() ? program : *chosen.back();
}

std::string unexpected(const CLI::App& program)
{
    const std::vector<std::string> words = program.remaining(true);
    const auto option =
        std::ranges::find_if(words, [](const std::string& w) { return w.starts_with('-'); });
    if (option == words.end()) {
        return sayCounted(static_cast<std::int64_t>(words.size()), "Unexpected argument '{}'.",
                          "Unexpected arguments: {}.", joined(words));
    }
    const std::string name = option->substr(0, option->find('='));
    std::vector<std::string> known;
    for (const CLI::Option* const other : chosenIn(program).get_options()) {
        for (const std::string& long_name : other->get_lnames()) {
            known.push_back("--" + long_name);
        }
    }
    const std::string meant = likeliest(name, known);
    return meant.empty() ? say("Unknown option '{}'.", name)
                         : say("Unknown option '{}'. Did you mean {}?", name, meant);
}

std::string missing(const CLI::App& program)
{
    for (const CLI::Option* const option : chosenIn(program).get_options()) {
        if (option->get_required() && option->count() == 0) {
            return say("{} is missing.", option->get_name());
        }
    }
    return say("Give a command, such as 'tidemark-cli diagnose FILE'.");
}

/// Of an option that is given without one that it needs, or beside one that it excludes.
std::string partners(const CLI::App& program)
{
    for (const CLI::Option* const option : chosenIn(program).get_options()) {
        for (const CLI::Option* const other : option->get_needs()) {
            if (option->count() > 0 && other->count() == 0) {
                return say("{} only works with {}.", option->get_name(), other->get_name());
            }
        }
        for (const CLI::Option* const other : option->get_excludes()) {
            if (option->count() > 0 && other->count() > 0) {
                return say("Give either {} or {}, not both.", option->get_name(),
                           other->get_name());
            }
        }
    }
    return {};
}

/// The option that a sentence of the parser is about; it stands at its beginning or behind a colon.
const CLI::Option* namedIn(const CLI::App& command, std::string_view sentence)
{
    static constexpr std::string_view kLead = "Could not convert: ";
    sentence.remove_prefix(sentence.starts_with(kLead) ? kLead.size() : 0);
    return command.get_option_no_throw(
        std::string(sentence.substr(0, sentence.find_first_of(": "))));
}

std::string unusableValue(const CLI::Option& option)
{
    if (option.get_items_expected_max() == 0) { // A flag.
        return say("{} takes no value.", option.get_name());
    }
    const auto needed = static_cast<std::size_t>(option.get_items_expected_min());
    if (needed > 1 && option.count() != needed) { // The two files of a comparison.
        return say("{} takes {} values, not {}.", option.get_name(), needed, option.count());
    }
    if (option.count() > 1) {
        return say("Give {} only once.", option.get_name());
    }
    if (option.count() == 0 || option.results().front().empty()) {
        return say("{} needs a value.", option.get_name());
    }
    return {}; // What a number may be is checked before.
}

std::string reasonOf(const CLI::App& program, const CLI::ParseError& error)
{
    using enum CLI::ExitCodes;
    switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case ExtrasError:
        return unexpected(program);
    case RequiredError:
        return missing(program);
    case RequiresError:
    case ExcludesError:
        return partners(program);
    case ConversionError:
    case ArgumentMismatch: {
        const CLI::Option* const option = namedIn(chosenIn(program), error.what());
        return option == nullptr ? std::string() : unusableValue(*option);
    }
    default:
        return {}; // A sentence of ours.
    }
}

} // namespace

void translateHelp(CLI::App& program)
{
    const std::shared_ptr<CLI::FormatterBase> formatter = program.get_formatter();
    formatter->label("Usage", say("Usage"));
    formatter->label("OPTIONS", say("OPTIONS"));
    formatter->label("SUBCOMMAND", say("COMMAND"));
    formatter->label("Positionals", say("Arguments"));
    formatter->label("REQUIRED", say("REQUIRED"));
    formatter->label("Needs", say("Needs"));
    formatter->label("Excludes", say("Excludes"));
    std::vector<CLI::App*> commands = program.get_subcommands(nullptr);
    for (CLI::App* const command : commands) {
        command->group(say("Commands"));
    }
    commands.push_back(&program);
    for (CLI::App* const command : commands) {
        for (CLI::Option* const option : command->get_options(nullptr)) {
            option->group(say("Options"));
        }
    }
}

CLI::Validator numberIn(std::int64_t least, std::int64_t most)
{
    return {[least, most](const std::string& word) {
                const auto number = parsed<std::int64_t>(word);
                // The parser would read 010 as eight.
                const bool is_decimal = number && fmt::format("{}", *number) == word;
                return is_decimal && *number >= least && *number <= most
                    ? std::string()
                    : say("'{}' is not an integer from {} to {}.", word, least, most);
            },
            fmt::format("{}-{}", least, most)};
}

CLI::Validator fractionIn(double least, double most)
{
    return {[least, most](const std::string& word) {
                const auto number = parsed<double>(word);
                return number && *number >= least && *number <= most
                    ? std::string()
                    : say("'{}' is not a number from {} to {}.", word, least, most);
            },
            fmt::format("{}-{}", least, most)};
}

CLI::Validator oneOf(const std::vector<std::string>& words)
{
    return {[words](const std::string& word) {
                return std::ranges::find(words, word) != words.end()
                    ? std::string()
                    : say("Unknown value '{}'; use {}.", word, joined(words));
            },
            fmt::format("{{{}}}", fmt::join(words, ","))};
}

std::string likeliest(std::string_view word, const std::vector<std::string>& known)
{
    std::string nearest;
    std::size_t fewest = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const std::string& other : known) {
        const bool begins_so = word.size() > 3 && other.starts_with(word);
        const std::size_t changes = begins_so ? 1 : changesBetween(word, other);
        if (changes < fewest) {
            fewest = changes;
            nearest = other;
        }
    }
    return nearest;
}

std::string whatShowsMore(const CLI::App& program)
{
    const auto chosen = program.get_subcommands();
    return say("(see {} --help)",
               chosen.empty()
                   ? program.get_name()
                   : fmt::format("{} {}", program.get_name(), chosen.back()->get_name()));
}

std::string sentenceOf(const CLI::App& program, const CLI::ParseError& error)
{
    const std::string reason = reasonOf(program, error);
    return fmt::format("{} {}", reason.empty() ? error.what() : reason, whatShowsMore(program));
}

} // namespace tidemark::cli
