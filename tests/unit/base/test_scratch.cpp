/* Scratch memory: what was taken last is given back first. */
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

extern "C" {
#include "model/base/scratch.h"
}

namespace
{

TEST(Scratch, WhatIsGivenBackIsTakenAgain)
{
  ss_scratch *scratch = ss_scratch_create();
  void *kept = ss_scratch_take(scratch, 24);
  const ss_scratch_mark mark = ss_scratch_now(scratch);
  void *first = ss_scratch_take(scratch, 8);
  EXPECT_NE(first, kept);
  ss_scratch_return(scratch, mark);
  EXPECT_EQ(ss_scratch_take(scratch, 100), first);
  ss_scratch_destroy(scratch);
}

TEST(Scratch, PiecesAreAlignedAndApart)
{
  ss_scratch *scratch = ss_scratch_create();
  char *last = nullptr;
  for (std::size_t bytes = 1; bytes < 40; ++bytes) {
    char *taken = static_cast<char *>(ss_scratch_take(scratch, bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken) % alignof(std::max_align_t), 0U);
    EXPECT_TRUE(last == nullptr || taken >= last + bytes - 1);
    last = taken;
  }
  ss_scratch_destroy(scratch);
}

/* 1 MiB is more than the first block, and what lies in it stays there. */
TEST(Scratch, GrowsInPlace)
{
  constexpr std::size_t large = 1 << 20;
  ss_scratch *scratch = ss_scratch_create();
  const ss_scratch_mark empty = ss_scratch_now(scratch);
  char *small = static_cast<char *>(ss_scratch_take(scratch, 16));
  std::strcpy(small, "stays");
  char *many = static_cast<char *>(ss_scratch_take(scratch, large));
  std::memset(many, 1, large);
  EXPECT_STREQ(small, "stays");
  ss_scratch_return(scratch, empty);
  EXPECT_EQ(ss_scratch_take(scratch, 16), small);
  ss_scratch_destroy(scratch);
}

/* Twice as much room each time, and what the list had before. */
TEST(Scratch, ListsGrow)
{
  ss_scratch *scratch = ss_scratch_create();
  int64_t room = 0;
  int *list = nullptr;
  for (int64_t count = 0; count < 20; ++count) {
    list = static_cast<int *>(ss_scratch_grown(scratch, list, count, &room, sizeof *list));
    list[count] = static_cast<int>(count);
    EXPECT_EQ(room, count < 8 ? 8 : count < 16 ? 16 : 32);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(list[i], i);
  ss_scratch_destroy(scratch);
}

TEST(Scratch, NothingIsDestroyed)
{
  ss_scratch_destroy(nullptr);
}

} // namespace
