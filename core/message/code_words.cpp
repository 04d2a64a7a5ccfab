// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/code_words.h"

#include "core/base/ascii.h"
#include "core/message/code_lines.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

bool isInName(char c)
{
    return isLetter(c) || isDigit(c) || c == '_' || c == '.';
}

/// "float(loss)", not "loss.float()".
bool callsPlain(std::string_view value, std::string_view name)
{
    for (std::size_t at = value.find(name); at != std::string_view::npos;
         at = value.find(name, at + 1)) {
        if (at == 0 || !isInName(value[at - 1])) {
            return true;
        }
    }
    return false;
}

bool callsAnyPlain(std::string_view value, std::initializer_list<std::string_view> names)
{
    return std::ranges::any_of(names,
                               [&](std::string_view name) { return callsPlain(value, name); });
}

/// ".data", not ".dataset".
bool takesData(std::string_view value)
{
    static constexpr std::string_view kData = ".data";
    for (std::size_t at = value.find(kData); at != std::string_view::npos;
         at = value.find(kData, at + 1)) {
        const std::size_t end = at + kData.size();
        if (end == value.size() || (!isInName(value[end]) && value[end] != '(')
            || value[end] == '.') {
            return true;
        }
    }
    return false;
}

/// "q", "query_states", "self.xq".
bool isQueryName(std::string_view name)
{
    const std::string last = lowered(lastPart(name));
    return last == "q" || last == "xq" || last.starts_with("q_") || containsPiece(last, "quer");
}

bool isKeyName(std::string_view name)
{
    const std::string first = lowered(name.substr(0, name.find('.')));
    return first == "k" || first == "xk" || first == "kt" || first.starts_with("k_")
        || first.starts_with("key");
}

/// The name that a value calls first, "models" of "models[0](x)"; empty: it calls none.
std::string calleeOf(std::string_view value)
{
    const std::string name = nameOf(value);
    std::size_t end = name.size();
    while (end < value.size() && value[end] == '[') {
        end += insideBrackets(value, end).size() + 2;
    }
    return end < value.size() && value[end] == '(' ? name : std::string();
}

/// A method of a model that runs its forward and keeps the graph.
bool isForwardMethod(std::string_view name)
{
    static constexpr std::array<std::string_view, 9> kForwards{
        "forward",          "module",           "encode",           "encode_image",
        "encode_text",      "extract_features", "forward_features", "get_image_features",
        "get_text_features"};
    return std::ranges::find(kForwards, name) != kForwards.end();
}

} // namespace

bool containsPiece(std::string_view text, std::string_view piece)
{
    return text.find(piece) != std::string_view::npos;
}

bool containsAnyPiece(std::string_view text, std::initializer_list<std::string_view> pieces)
{
    return std::ranges::any_of(pieces,
                               [&](std::string_view piece) { return containsPiece(text, piece); });
}

bool isDetachedValue(std::string_view value)
{
    return takesData(value)
        || containsAnyPiece(value,
                            {".item(", "detach", ".numpy(", ".tolist(", "argmax(", "repackage"})
        || callsAnyPlain(value, {"float(", "int(", "len(", "str("});
}

bool isHostValue(std::string_view value)
{
    return containsAnyPiece(value,
                            {".item(", ".cpu(", ".numpy(", ".tolist(", "decode(", ".to('cpu'",
                             ".to(\"cpu\"", "argmax("})
        || callsAnyPlain(value, {"float(", "int(", "len(", "str("});
}

std::string_view withoutMethod(std::string_view name)
{
    static constexpr std::array<std::string_view, 9> kKept{
        ".float", ".mean", ".sum", ".to", ".cuda", ".double", ".half", ".clone", ".unsqueeze"};
    const auto* const method =
        std::ranges::find_if(kKept, [&](std::string_view end) { return name.ends_with(end); });
    return method == kKept.end() ? name : name.substr(0, name.size() - method->size());
}

bool isLossName(std::string_view name)
{
    const std::string last = lowered(lastPart(withoutMethod(name)));
    return (containsPiece(last, "loss") || last == "nll" || last == "elbo")
        && !isLossPartName(last);
}

bool isLossPartName(std::string_view name)
{
    const std::string last = lowered(lastPart(name));
    return containsAnyPiece(last, {"weight", "coef", "scale", "lambda", "_fn", "factor", "func"});
}

bool isOutputName(std::string_view name)
{
    std::string last = lowered(lastPart(name));
    while (!last.empty() && (isDigit(last.back()) || last.back() == '_' || last.back() == 's')) {
        last.pop_back();
    }
    const std::string_view part = std::string_view(last).substr(last.rfind('_') + 1);
    static constexpr std::array<std::string_view, 12> kOutputs{
        "out",       "output", "logit", "pred",   "prediction", "feature",
        "embedding", "emb",    "feat",  "hidden", "prob",       "y_hat"};
    return std::ranges::any_of(
        kOutputs, [&](std::string_view output) { return output == part || output == last; });
}

bool isTotalName(std::string_view name)
{
    return containsAnyPiece(lowered(name),
                            {"total", "running", "epoch", "sum", "avg", "mean", "train", "val",
                             "test", "eval", "losses", "accum", "cum", "history", "meter", "log",
                             "tr_loss", "all_"});
}

bool isStateName(std::string_view name)
{
    const std::string last = lowered(lastPart(name));
    return last == "h" || last == "hx" || last == "hc"
        || containsAnyPiece(last, {"hid", "state", "memor"});
}

bool callsModel(std::string_view value)
{
    const std::string name = calleeOf(value);
    std::string_view callee = name;
    if (isForwardMethod(lastPart(callee)) && callee.find('.') != std::string_view::npos) {
        callee = callee.substr(0, callee.rfind('.'));
    }
    std::string last = lowered(lastPart(callee));
    if (last.ends_with('s') && value.substr(callee.size()).starts_with('[')) {
        last.pop_back(); // one of several
    }
    static constexpr std::array<std::string_view, 18> kModels{
        "encoder", "decoder",     "generator", "discriminator", "backbone", "unet",
        "vae",     "transformer", "policy",    "actor",         "critic",   "classifier",
        "netg",    "netd",        "bert",      "rnn",           "lstm",     "gru"};
    return !name.empty()
        && (std::ranges::find(kModels, last) != kModels.end() || last.ends_with("model")
            || last == "net" || last.ends_with("_net") || last == "network");
}

bool callsLoss(std::string_view value)
{
    return containsAnyPiece(lowered(lastPart(calleeOf(value))),
                            {"loss", "criterion", "cross_entropy"});
}

std::optional<std::string_view> argumentsOf(std::string_view statement, std::string_view callee)
{
    const std::size_t at = statement.find(callee);
    return at == std::string_view::npos
        ? std::nullopt
        : std::optional(insideBrackets(statement, at + callee.size() - 1));
}

bool makesAttentionMatrix(std::string_view statement)
{
    for (std::size_t at = statement.find('@'); at != std::string_view::npos;
         at = statement.find('@', at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && isInName(statement[begin - 1])) {
            --begin;
        }
        if (isQueryName(statement.substr(begin, at - begin))
            && isKeyName(nameOf(statement.substr(at + 1)))) {
            return true;
        }
    }
    for (const std::string_view callee : {"matmul(", "bmm(", "einsum("}) {
        const auto arguments = argumentsOf(statement, callee);
        if (!arguments) {
            continue;
        }
        bool has_query = false;
        for (const std::string_view part : splitArguments(*arguments)) {
            if (has_query && isKeyName(nameOf(part))) {
                return true;
            }
            has_query = has_query || isQueryName(nameOf(part));
        }
    }
    return false;
}

} // namespace tidemark::diagnose
