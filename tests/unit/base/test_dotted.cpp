/* Names with dots. */
#include <gtest/gtest.h>

extern "C" {
#include "model/base/dotted.h"
}

TEST(Dotted, TheLastNameIsBehindTheLastDot)
{
  EXPECT_STREQ(ss_last_name("model.config.seq-length"), "seq-length");
  EXPECT_STREQ(ss_last_name("seq-length"), "seq-length");
  EXPECT_STREQ(ss_last_name("model."), "");
  EXPECT_STREQ(ss_last_name(""), "");
}
