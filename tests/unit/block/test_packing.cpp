/* Attention in sequences of several documents: its mean by hand and by drawing, how it differs, and what a block makes
 * of it. */
#include <functional>
#include <random>

#include "tests/support/blocks.hpp"
#include "tests/support/packed.hpp"

using namespace stepsim;

namespace
{

double span(const ss_workload &workload)
{
  return ss_attention_reach_of(&workload).span;
}

/* Sums over the sequences of a long stream of documents, cut every `sequence` tokens. */
struct Sums {
  double mean, deviation;
};

Sums drawn(const ss_workload &workload, const std::function<double(std::mt19937 &)> &length,
           const std::function<double(double)> &of_piece)
{
  const int n = 40000;
  const double sequence = (double)workload.model.sequence;
  std::mt19937 random(11);
  double sum = 0, squares = 0, left = length(random);
  for (int i = 0; i < n + 100; ++i) {
    double total = 0;
    for (double room = sequence; room > 0;) {
      const double piece = std::min(left, room);
      total += of_piece(piece);
      room -= piece;
      left -= piece;
      if (left <= 0) left = length(random);
    }
    if (i < 100) continue; /* the first begins with a document */
    sum += total;
    squares += total * total;
  }
  return {sum / n, std::sqrt(squares / n - sum / n * (sum / n))};
}

double causal(double tokens, double window)
{
  const double beyond = std::max(tokens - window, 0.0);
  return 0.5 * (tokens * tokens - beyond * beyond);
}

/* The means of drawn sequences are those of the equation up to five standard errors - neighbours share a document,
 * which makes these larger than those of independent ones, by a half at most here - and the deviation is near. */
void expect_drawn(ss_workload workload, const std::function<double(std::mt19937 &)> &length, double nearness)
{
  for (int64_t window : {0, 700}) {
    workload.model.window = window;
    const double reach = window > 0 ? (double)window : 1e30;
    const Sums sums = drawn(workload, length, [&](double tokens) { return causal(tokens, reach); });
    EXPECT_NEAR(ss_attention_mean_pairs(&workload), sums.mean, 5 * 1.5 * sums.deviation / std::sqrt(40000)) << window;
    const ss_attention_reach of = ss_attention_reach_of(&workload);
    EXPECT_NEAR(of.seen * of.share * (double)workload.model.sequence / ss_attention_mean_pairs(&workload), 1, 1e-12);
    const double spread = ss_attention_spread(&workload).deviation;
    if (window == 0) {
      EXPECT_NEAR(spread, sums.deviation / sums.mean, nearness * spread);
    }
  }
}

} // namespace

/* 1000 into 2500 tokens, cut by turns: 1000 1000 500 and 500 1000 1000. 3000 into 2000: 2000; 1000 1000; 2000. */
TEST(Packing, FixedLengthsByHand)
{
  expect_close(span(packed(SS_DOCUMENTS_FIXED, 1000, 2500)), 2.25e6 / 2500, 1e-12);
  expect_close(span(packed(SS_DOCUMENTS_FIXED, 3000, 2000)), (4e6 + 2e6 + 4e6) / 3 / 2000, 1e-12);
  const ss_workload three = packed(SS_DOCUMENTS_FIXED, 3000, 2000);
  expect_close(ss_attention_mean_pairs(&three), 0.5 * (4e6 + 2e6 + 4e6) / 3, 1e-12);
  expect_close(ss_attention_spread(&three).most, 2e6 / (0.5 * (4e6 + 2e6 + 4e6) / 3), 1e-12);
}

/* Where documents fill sequences, all pieces are alike: with the length of the sequence, it is as without documents. */
TEST(Packing, DocumentsThatFillSequences)
{
  for (double length : {1.0, 512.0, 2048.0, 8192.0}) {
    const ss_workload workload = packed(SS_DOCUMENTS_FIXED, length, 8192);
    const ss_attention_reach reach = ss_attention_reach_of(&workload);
    EXPECT_DOUBLE_EQ(reach.span, length);
    EXPECT_DOUBLE_EQ(reach.seen, length);
    EXPECT_DOUBLE_EQ(reach.share, 0.5);
    EXPECT_EQ(ss_attention_spread(&workload).deviation, 0) << length;
  }
  ss_workload windowed = packed(SS_DOCUMENTS_FIXED, 2048, 8192);
  windowed.model.window = 1024; /* 1024^2 / 2 and 1024^2, of 2048 * 1024 */
  EXPECT_DOUBLE_EQ(ss_attention_reach_of(&windowed).span, 2048);
  EXPECT_DOUBLE_EQ(ss_attention_reach_of(&windowed).seen, 1024 * 1.0);
  EXPECT_DOUBLE_EQ(ss_attention_reach_of(&windowed).share, 0.75);
}

/* Two tokens are in the same document, x tokens apart, with the probability E[max(L - x, 0)] / mean. Exponential:
 * exp(-x / mean), and the integral of 2 (S - x) times that is 2 mean (S - mean (1 - exp(-S / mean))). Uniform up to 2
 * mean
 * <= S: (1 - x / (2 mean))^2, 4 mean S / 3 - 2 mean^2 / 3. */
TEST(Packing, RealLengthsByHand)
{
  for (double mean : {100.0, 1000.0, 20000.0}) {
    const double s = 4096, pairs = 2 * mean * (s + mean * std::expm1(-s / mean));
    expect_close(span(packed(SS_DOCUMENTS_EXPONENTIAL, mean, 4096)), pairs / s, 1e-9);
  }
  expect_close(span(packed(SS_DOCUMENTS_UNIFORM, 1500, 4096)), 4.0 * 1500 / 3 - 2.0 / 3 * 1500 * 1500 / 4096, 1e-11);
}

/* As many documents of 2 tokens as of 3 in sequences of 4: a piece has k tokens in a row in (4 - k + 1) E[L - k + 1] /
 * 2.5 places of a sequence, 4, 1.8 and 0.4 for k = 1, 2, 3, from which 0.8, 1 and 0.4 pieces of 1, 2 and 3 tokens
 * follow. In a window of 2 keys, these see 1, 4 and 6, and looking back 1/2, 2 and 4. */
TEST(Packing, ListedLengthsByHand)
{
  Listed listed({{3, 1}, {2, 1}}, 4);
  EXPECT_DOUBLE_EQ(listed.list->mean, 2.5);
  EXPECT_EQ(listed.list->step, 1);
  expect_close(span(listed.workload), (0.8 + 4 * 1 + 9 * 0.4) / 4, 1e-12);
  listed.workload.model.window = 2;
  const ss_attention_reach reach = ss_attention_reach_of(&listed.workload);
  expect_close(reach.span, (0.8 + 4 * 1 + 9 * 0.4) / 4, 1e-12);
  expect_close(reach.seen, (0.8 + 4 * 1 + 6 * 0.4) / 4, 1e-12);
  expect_close(reach.share, (0.5 * 0.8 + 2 * 1 + 4 * 0.4) / (0.8 + 4 * 1 + 6 * 0.4), 1e-12);
}

/* A list is sorted, and says each length once; one of one length is that length. */
TEST(Packing, ListsAreAddedUp)
{
  Listed listed({{300, 2}, {100, 1}, {300, 1}}, 900);
  ASSERT_EQ(listed.list->count, 2);
  EXPECT_DOUBLE_EQ(listed.list->mean, 250);
  EXPECT_DOUBLE_EQ(listed.list->documents[0], 0.25);
  EXPECT_DOUBLE_EQ(listed.list->tokens[0], 0.1);
  EXPECT_EQ(listed.list->step, 100);
  Listed one({{1000, 7}}, 2500);
  expect_close(span(one.workload), span(packed(SS_DOCUMENTS_FIXED, 1000, 2500)), 1e-12);
}

/* 1000 into 2500 tokens, cut by turns: 1000 1000 500 and 500 1000 1000. In chunks of 400 a piece of 1000 is 400 400
 * 200, of 500 400 100: 2 (2 400^2 + 200^2) + 400^2 + 100^2 pairs in either. Chunks as long as the documents change
 * nothing. */
TEST(Packing, ChunksBeginWithDocuments)
{
  ss_workload workload = packed(SS_DOCUMENTS_FIXED, 1000, 2500);
  workload.model.chunk = 400;
  const double pairs = 2 * (2 * 160000.0 + 40000) + 160000 + 10000;
  ss_attention_reach reach = ss_attention_reach_of(&workload);
  expect_close(reach.span, 2.25e6 / 2500, 1e-12);
  expect_close(reach.seen, pairs / 2500, 1e-12);
  EXPECT_DOUBLE_EQ(reach.share, 0.5);
  workload.model.causal = SS_NO;
  expect_close(ss_attention_mean_pairs(&workload), pairs, 1e-12);
  for (const int64_t chunk : {1000, 2500, 5000}) {
    workload.model.chunk = chunk;
    expect_close(ss_attention_reach_of(&workload).seen, reach.span, 1e-12);
  }
  workload.model.chunk = 250; /* the step of the cuts is 500, of which chunks are halves */
  expect_close(ss_attention_reach_of(&workload).seen, 250, 1e-12);
}

/* Listed lengths, whose cuts fall on every token: documents of 2 and 3 tokens in chunks of 2 have 0.8, 1 and 0.4 pieces
 * of 1, 2 and 3 tokens in a sequence of 4, which see 1, 4 and 5. */
TEST(Packing, ChunksOfListedLengths)
{
  Listed listed({{3, 1}, {2, 1}}, 4);
  listed.workload.model.chunk = 2;
  expect_close(ss_attention_reach_of(&listed.workload).seen, (0.8 + 4 * 1 + 5 * 0.4) / 4, 1e-12);
}

/* The same of streams that are drawn, and how sequences differ. */
TEST(Packing, ChunksOfDrawnStreams)
{
  const double mean = 1200, chunk = 1024;
  std::exponential_distribution<double> exponential(1 / mean);
  ss_workload workload = packed(SS_DOCUMENTS_EXPONENTIAL, mean, 8192);
  workload.model.chunk = (int64_t)chunk;
  const Sums sums = drawn(workload, exponential, [&](double tokens) {
    const double whole = std::floor(tokens / chunk), rest = tokens - whole * chunk;
    return 0.5 * (whole * chunk * chunk + rest * rest);
  });
  EXPECT_NEAR(ss_attention_mean_pairs(&workload), sums.mean, 5 * 1.5 * sums.deviation / std::sqrt(40000));
  const double spread = ss_attention_spread(&workload).deviation;
  EXPECT_NEAR(spread, sums.deviation / sums.mean, 0.1 * spread);
}

/* In a block: a quarter of the logits of documents of 1024 tokens in chunks of 256, and no more exchange than without
 * chunks where ranks share the sequence. */
TEST(Packing, ChunksOfABlock)
{
  ss_workload workload = packed(SS_DOCUMENTS_FIXED, 1024, 4096);
  const double documents = find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop;
  workload.model.chunk = 256;
  expect_close(find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop, documents / 4, 1e-2);
  workload.parallelism.cp = 2;
  workload.parallelism.cp_exchange = SS_CP_GATHER;
  EXPECT_NE(calls(*build(workload), SS_PASS_FORWARD), "");
}

/* A stream that is drawn and cut, by other code and other random numbers. */
TEST(Packing, MeansAreThoseOfDrawnStreams)
{
  const double mean = 1200, sigma = 1.1;
  std::exponential_distribution<double> exponential(1 / mean);
  std::lognormal_distribution<double> log_normal(std::log(mean) - sigma * sigma / 2, sigma);
  std::uniform_real_distribution<double> uniform(0, 2 * mean);
  expect_drawn(packed(SS_DOCUMENTS_EXPONENTIAL, mean, 8192), exponential, 0.1);
  expect_drawn(packed(SS_DOCUMENTS_LOG_NORMAL, mean, 8192, sigma), log_normal, 0.1);
  expect_drawn(packed(SS_DOCUMENTS_UNIFORM, mean, 8192), uniform, 0.1);
  expect_drawn(packed(SS_DOCUMENTS_LOG_NORMAL, mean, 2048, sigma), log_normal, 0.3);
  Listed listed({{64, 5}, {700, 3}, {5000, 1}}, 8192);
  expect_drawn(
      listed.workload,
      [](std::mt19937 &random) {
        const auto ticket = random() % 9;
        return ticket < 5 ? 64.0 : ticket < 8 ? 700.0 : 5000.0;
      },
      0.1);
}

/* As long as a document is much longer than a sequence, it is as if there were no documents. */
TEST(Packing, LongDocumentsAreWholeSequences)
{
  for (ss_documents documents : {SS_DOCUMENTS_EXPONENTIAL, SS_DOCUMENTS_FIXED, SS_DOCUMENTS_UNIFORM})
    EXPECT_NEAR(span(packed(documents, 4096e6, 4096)), 4096, 0.01) << documents;
}

/* Attention of four documents in a sequence is that of four sequences: flop, bytes and what is kept. */
TEST(Packing, FourDocumentsAreFourSequences)
{
  for (ss_switch causal_only : {SS_YES, SS_NO}) {
    ss_workload documents = packed(SS_DOCUMENTS_FIXED, 512, 2048), sequences = make_workload();
    documents.model.causal = sequences.model.causal = causal_only;
    sequences.model.sequence = 512;
    sequences.training.micro_batch = 4 * documents.training.micro_batch;
    for (ss_cost cost : {SS_COST_CALIBRATED, SS_COST_SC24}) {
      const BlockPointer a = build(documents, SS_BLOCK_LAYER, cost), b = build(sequences, SS_BLOCK_LAYER, cost);
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        EXPECT_EQ(names(*a, (ss_pass)pass), names(*b, (ss_pass)pass));
        for (size_t i = 0; i < tasks(*a, (ss_pass)pass).size(); ++i) {
          const ss_kernel x = tasks(*a, (ss_pass)pass)[i].kernel, y = tasks(*b, (ss_pass)pass)[i].kernel;
          expect_close(x.flop, y.flop, 1e-12);
          expect_close(x.hbm_bytes, y.hbm_bytes, 1e-12);
        }
      }
      EXPECT_DOUBLE_EQ(a->stored_bytes, b->stored_bytes);
    }
  }
}
