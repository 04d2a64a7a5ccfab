// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::diagnose {

// What names and calls of Python mean in training loops, by the words that people use for them.
// Values are statements of code_lines.h: without blanks.

bool containsPiece(std::string_view text, std::string_view piece);
bool containsAnyPiece(std::string_view text, std::initializer_list<std::string_view> pieces);

/// No graph hangs on it: "loss.item()", "float(loss)".
bool isDetachedValue(std::string_view value);
/// It takes no memory of the GPU.
bool isHostValue(std::string_view value);
bool isLossName(std::string_view name);
/// "loss_weight", "loss_fn": no loss.
bool isLossPartName(std::string_view name);
bool isOutputName(std::string_view name);
/// "loss.mean", of a call that keeps the graph, is "loss".
std::string_view withoutMethod(std::string_view name);
/// Of what collects: "total_loss", "running", "losses".
bool isTotalName(std::string_view name);
/// Of a recurrent network: "hidden", "h", "memory".
bool isStateName(std::string_view name);
/// "self.model(x)", "net.forward(x)", "model(x).logits".
bool callsModel(std::string_view value);
bool callsLoss(std::string_view value);
/// What a call of `callee`, "torch.load(", in a statement is given; nullopt: there is none.
std::optional<std::string_view> argumentsOf(std::string_view statement, std::string_view callee);
/// "q @ k.transpose(-2, -1)", "torch.matmul(query, key.mT)".
bool makesAttentionMatrix(std::string_view statement);

} // namespace tidemark::diagnose
