/* What flows leave to transfers of other sorts on the link that bounds them. */
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <vector>

extern "C" {
#include "sim/engine/headroom/encounters.h"
}

namespace
{

/* Flows of one of three kinds each, of which the first two are of data-parallel collectives, the third of layers. */
class Encounters : public ::testing::Test
{
protected:
  Encounters()
  {
    EXPECT_EQ(ss_presumption_init(&presumption_, 3, 3), SS_OK);
    presumption_.sort[0] = presumption_.sort[1] = SS_TRANSFER_DATA;
    presumption_.sort[2] = SS_TRANSFER_CALL;
    EXPECT_EQ(ss_encounters_init(&encounters_, &presumption_, flow_.data()), SS_OK);
    for (int32_t kind = 0; kind < 3; ++kind) {
      flow_[static_cast<size_t>(kind)].full_link = 0;
      ss_encounters_begin(&encounters_, kind, 0.0);
    }
  }
  ~Encounters() override
  {
    ss_encounters_free(&encounters_);
    ss_presumption_free(&presumption_);
  }
  /* Flows of these kinds are on a link from now on, each as often and as fast as that. */
  struct OnLink {
    size_t kind;
    int64_t alike;
    double bytes_per_s;
  };
  void look(const std::vector<OnLink> &on, int32_t number, double now_s)
  {
    std::vector<ss_fair_place> place;
    for (const OnLink &o : on) {
      flow_[o.kind].bytes_per_s = o.bytes_per_s;
      place.push_back({&flow_[o.kind], o.alike});
    }
    ss_fair_link link = {};
    link.first = place.front();
    link.other = place.data() + 1;
    link.flows = static_cast<int32_t>(place.size());
    ss_encounters_look(&encounters_, &link, number, now_s);
  }

  ss_presumption presumption_ = {};
  std::array<ss_fair_flow, 3> flow_ = {};
  ss_encounters encounters_ = {};
};

} // namespace

/* Beside a collective of a layer that has half of a link, a ring would take half of the time without it: of 2 s it
 * leaves 1 s, and of 1 s in which the other flow has a quarter, 0.25 s. The other one leaves it half of 2 s and three
 * quarters of 1 s. */
TEST_F(Encounters, LeaveWhatOthersHave)
{
  look({{0, 1, 5.0}, {2, 1, 5.0}}, 0, 1.0);
  look({{0, 3, 5.0}, {2, 1, 5.0}}, 0, 3.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 0, 4.0).sorts, 1.25);
  EXPECT_EQ(ss_encounters_end(&encounters_, 2, 4.0).sorts, 1.75);
}

/* Rings beside each other go on together. */
TEST_F(Encounters, LeaveNothingToTheirOwnSort)
{
  look({{0, 1, 5.0}, {1, 2, 5.0}}, 0, 0.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 0, 4.0).sorts, 0.0);
}

/* On a link of the upper levels, collectives of layers meet those of other replicas: of 6 s with a third of the link,
 * one may gain two thirds. Rings go on together there, too. */
TEST_F(Encounters, LeaveUpperLinksToAnyOthers)
{
  presumption_.is_upper = static_cast<bool *>(std::calloc(2, sizeof(bool)));
  presumption_.is_upper[0] = true;
  look({{2, 3, 5.0}}, 0, 0.0);
  const ss_left left_s = ss_encounters_end(&encounters_, 2, 6.0);
  EXPECT_EQ(left_s.sorts, 0.0);
  EXPECT_EQ(left_s.upper, 6.0 * (1.0 - 5.0 / 15.0));
  look({{0, 3, 5.0}}, 0, 6.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 0, 8.0).upper, 0.0);
  flow_[2].full_link = 1;
  ss_encounters_begin(&encounters_, 2, 8.0);
  look({{2, 3, 5.0}}, 1, 8.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 2, 9.0).upper, 0.0);
}

/* On a link that does not bound it, a flow loses nothing. */
TEST_F(Encounters, AreOnTheLinkThatBounds)
{
  flow_[0].full_link = 1;
  look({{0, 1, 2.0}, {2, 1, 6.0}}, 0, 0.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 0, 4.0).sorts, 0.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 2, 4.0).sorts, 1.0);
}

/* What the last flow of a kind has left is not the next one's. */
TEST_F(Encounters, BeginWithEachFlow)
{
  look({{0, 1, 5.0}, {2, 1, 5.0}}, 0, 0.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 0, 4.0).sorts, 2.0);
  ss_encounters_begin(&encounters_, 0, 5.0);
  EXPECT_EQ(ss_encounters_end(&encounters_, 0, 6.0).sorts, 0.0);
}

/* Where no flows are taken for others, nothing is looked at. */
TEST(NoEncounters, AreLookedAtInExactReplays)
{
  ss_encounters none = {};
  ss_encounters_begin(&none, 0, 0.0);
  ss_fair_link link = {};
  ss_encounters_look(&none, &link, 0, 1.0);
  EXPECT_EQ(ss_encounters_end(&none, 0, 2.0).sorts, 0.0);
  ss_encounters_free(&none);
}
