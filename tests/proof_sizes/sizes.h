#pragma once

constexpr int HEADS = 32;
constexpr int DIM = 64;
constexpr int HIDDEN = 2048;
static_assert(HIDDEN == HEADS * DIM, "heads have all of the hidden dimension");

#define TOKENS (8 * 1024)
