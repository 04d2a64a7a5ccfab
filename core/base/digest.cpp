// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/digest.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tidemark {
namespace {

using Words = std::array<std::uint32_t, 8>;

constexpr std::size_t kChunk = 64;
constexpr std::size_t kRounds = 64;
constexpr Words kFirstHash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::array<std::uint32_t, kRounds> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t wordAt(std::string_view bytes, std::size_t at)
{
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        word = word << 8U | static_cast<unsigned char>(bytes[at + i]);
    }
    return word;
}

void addChunk(Words& hash, std::string_view chunk)
{
    std::array<std::uint32_t, kRounds> w{};
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = wordAt(chunk, 4 * i);
    }
    for (std::size_t i = 16; i < kRounds; ++i) {
        const std::uint32_t a = w[i - 15];
        const std::uint32_t b = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3U) + w[i - 7]
            + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10U);
    }
    Words s = hash;
    for (std::size_t i = 0; i < kRounds; ++i) {
        const auto& [a, b, c, d, e, f, g, h] = s;
        const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25))
            + ((e & f) ^ (~e & g)) + kRoundConstants[i] + w[i];
        const std::uint32_t two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        s = {one + two, a, b, c, d + one, e, f, g};
    }
    for (std::size_t i = 0; i < hash.size(); ++i) {
        hash[i] += s[i];
    }
}

} // namespace

std::string sha256(std::string_view bytes)
{
    Words hash = kFirstHash;
    std::size_t at = 0;
    for (; at + kChunk <= bytes.size(); at += kChunk) {
        addChunk(hash, bytes.substr(at, kChunk));
    }
    std::string rest(bytes.substr(at));
    rest += '\x80';
    while (rest.size() % kChunk != kChunk - 8) {
        rest += '\0';
    }
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        rest += static_cast<char>(bits >> (shift - 8) & 0xffU);
    }
    for (at = 0; at < rest.size(); at += kChunk) {
        addChunk(hash, std::string_view(rest).substr(at, kChunk));
    }
    std::string digest;
    for (const std::uint32_t word : hash) {
        for (unsigned shift = 32; shift > 0; shift -= 8) {
            digest += static_cast<char>(word >> (shift - 8) & 0xffU);
        }
    }
    return digest;
}

std::string base64(std::string_view bytes)
{
    static constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            three = three << 8U
                | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63U];
        }
    }
    return text;
}

} // namespace tidemark
