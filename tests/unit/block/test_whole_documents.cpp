/* Whole documents that are packed into sequences, and context-parallel ranks that share sequences of documents out: by
 * hand. */
#include <algorithm>
#include <random>

#include "tests/support/blocks.hpp"
#include "tests/support/packed.hpp"

extern "C" {
#include "model/block/mixer/attended.h"
}

using namespace stepsim;

namespace
{

const std::vector<ss_packing> kWhole = {SS_PACKING_NEXT_FIT, SS_PACKING_FIRST_FIT, SS_PACKING_FIRST_FIT_DECREASING};

ss_workload whole(ss_documents documents, double mean, int64_t sequence, ss_packing packing, double sigma = 0)
{
  ss_workload workload = packed(documents, mean, sequence, sigma);
  workload.training.packing = packing;
  return workload;
}

/* Context-parallel ranks that share sequences out as they are. */
ss_workload split(ss_workload workload, int64_t cp)
{
  workload.parallelism.cp = cp;
  workload.parallelism.cp_split = SS_CP_SPLIT_SEQUENCE;
  return workload;
}

double fill(const ss_workload &workload)
{
  return ss_useful_share(&workload);
}

double imbalance(const ss_workload &workload)
{
  return ss_attention_reach_of(&workload).imbalance;
}

double attention_flop(const ss_workload &workload)
{
  return find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop;
}

} // namespace

/* Two documents of 3000 fit into 8192 tokens; the other 2192 are one more document to attention. Causal, half of their
 * squares is computed. */
TEST(WholeDocuments, FixedLengthsByHand)
{
  for (const ss_packing packing : kWhole) {
    const ss_workload workload = whole(SS_DOCUMENTS_FIXED, 3000, 8192, packing);
    const double documents = 2 * 3000.0 * 3000, all = documents + 2192.0 * 2192;
    const ss_attention_reach reach = ss_attention_reach_of(&workload);
    expect_close(reach.useful, 6000.0 / 8192, 1e-12);
    expect_close(reach.span, all / 8192, 1e-12);
    expect_close(reach.seen, all / 8192, 1e-12);
    expect_close(reach.asked, documents / 8192, 1e-12);
    EXPECT_DOUBLE_EQ(reach.share, 0.5);
    EXPECT_DOUBLE_EQ(reach.imbalance, 1);
    expect_close(ss_attention_mean_pairs(&workload), all / 2, 1e-12);
    EXPECT_EQ(ss_attention_spread(&workload).deviation, 0);
    expect_close(ss_attention_spread(&workload).most, 1, 1e-12);
  }
}

/* Padded to multiples of 1024, a document of 3000 takes 3072, and two still fit; of 4096, it takes 4096, and they fill
 * the sequence. Attention leaves the padding out. */
TEST(WholeDocuments, PaddedDocumentsLeavePaddingOut)
{
  for (const int64_t multiple : {1024, 4096}) {
    ss_workload workload = whole(SS_DOCUMENTS_FIXED, 3000, 8192, SS_PACKING_FIRST_FIT);
    workload.training.document_padding = multiple;
    expect_close(ss_attention_reach_of(&workload).span, 2 * 3000.0 * 3000 / 8192, 1e-12);
    expect_close(fill(workload), 6000.0 / 8192, 1e-12);
  }
  ss_workload one = whole(SS_DOCUMENTS_FIXED, 3000, 8192, SS_PACKING_FIRST_FIT);
  one.training.document_padding = 5000; /* two of them are more than the sequence */
  expect_close(fill(one), 3000.0 / 8192, 1e-12);
}

/* Where a window is 1000, a document of 3000 sees 3000 * 1000 of its pairs, and computes 1000^2 / 2 + 2000 * 1000. In
 * chunks of 1000 it sees 3 * 1000^2, and computes half of that. */
TEST(WholeDocuments, WindowsAndChunks)
{
  ss_workload workload = whole(SS_DOCUMENTS_FIXED, 3000, 8192, SS_PACKING_FIRST_FIT);
  workload.training.document_padding = 4096;
  workload.model.window = 1000;
  expect_close(ss_attention_reach_of(&workload).seen, 2 * 3e6 / 8192, 1e-12);
  expect_close(ss_attention_mean_pairs(&workload), 2 * 2.5e6, 1e-12);
  workload.model.window = 0;
  workload.model.chunk = 1000;
  expect_close(ss_attention_reach_of(&workload).seen, 2 * 3e6 / 8192, 1e-12);
  expect_close(ss_attention_mean_pairs(&workload), 2 * 1.5e6, 1e-12);
}

/* A quarter of the documents has 6 tokens, a quarter 4, half 3, in sequences of 10. The longest first: each 6 is joined
 * by a 4, and 3s are three in a sequence: of 4096 documents, 1024 sequences of [6, 4] and 682 of [3, 3, 3]; the last
 * one, with two of them, is left out. */
TEST(WholeDocuments, LongestFirstByHand)
{
  const Listed listed({{6, 1}, {4, 1}, {3, 2}}, 10, SS_PACKING_FIRST_FIT_DECREASING);
  const double sequences = 1024 + 682;
  expect_close(fill(listed.workload), (1024 * 10 + 682 * 9) / (10 * sequences), 1e-12);
  const double mean = (1024 * (36 + 16) + 682 * (27 + 1)) / sequences;
  expect_close(ss_attention_mean_pairs(&listed.workload), mean / 2, 1e-12);
  expect_close(ss_attention_spread(&listed.workload).most, 52 / mean, 1e-12);
  const double deviation = std::sqrt(1024 / sequences * 682 / sequences) * (52 - 28);
  expect_close(ss_attention_spread(&listed.workload).deviation, deviation / mean, 1e-12);
}

/* As many documents of 6 as of 4 tokens, in sequences of 10, each into the one that is open: behind a 6 half of the
 * next ones fit, behind a 4 all, but only a 6 fills it. A sequence begins with a 6 with a probability p = p (1/2 + 1/4)
 * + (1 - p) / 2 = 2/3, and is filled to (6 + 10) / 2 then, and else to (8 + 10) / 2: to 25/3 on average. First fit lets
 * no 4 be without a 6 while there is one. The standard error of 2450 sequences is 0.4 % of a sequence. */
TEST(WholeDocuments, NextFitByHand)
{
  const Listed next({{6, 1}, {4, 1}}, 10, SS_PACKING_NEXT_FIT), first({{6, 1}, {4, 1}}, 10, SS_PACKING_FIRST_FIT);
  EXPECT_NEAR(fill(next.workload), 25.0 / 30, 0.02);
  EXPECT_GT(fill(first.workload), 0.95);
  const Listed decreasing({{6, 1}, {4, 1}}, 10, SS_PACKING_FIRST_FIT_DECREASING);
  EXPECT_DOUBLE_EQ(fill(decreasing.workload), 1);
}

/* Half of the documents has 20 tokens, half 5, in sequences of 10. Truncated, 2048 sequences have one document and 1023
 * have two, without the last one; without the long ones, all have two. */
TEST(WholeDocuments, LongDocumentsByHand)
{
  Listed listed({{20, 1}, {5, 1}}, 10, SS_PACKING_FIRST_FIT_DECREASING);
  EXPECT_DOUBLE_EQ(fill(listed.workload), 1);
  expect_close(ss_attention_mean_pairs(&listed.workload), 0.5 * (2048 * 100 + 1023 * 50) / 3071, 1e-12);
  listed.workload.training.long_documents = SS_LONG_DROPPED;
  EXPECT_DOUBLE_EQ(fill(listed.workload), 1);
  expect_close(ss_attention_mean_pairs(&listed.workload), 0.5 * 50, 1e-12);
  listed.workload.model.sequence = 4;
  EXPECT_FALSE(ss_sequences_have_documents(&listed.workload));
  listed.workload.training.long_documents = SS_LONG_TRUNCATED;
  listed.workload.training.document_padding = 3; /* to what fits: 3 of 4 */
  expect_close(fill(listed.workload), 0.75, 1e-12);
}

/* Two pieces for each of cp ranks, and cp * tp with sequence parallelism: the least multiple of both. */
TEST(WholeDocuments, MultiplesByHand)
{
  struct {
    int64_t tp, cp;
    ss_switch sequence;
    int64_t multiple;
  } const cases[] = {{1, 1, SS_YES, 1}, {4, 1, SS_NO, 1},  {4, 1, SS_YES, 4},  {1, 2, SS_YES, 4},
                     {2, 3, SS_YES, 6}, {4, 2, SS_YES, 8}, {3, 2, SS_YES, 12}, {3, 2, SS_NO, 4}};
  for (const auto &given : cases) {
    ss_workload workload = whole(SS_DOCUMENTS_FIXED, 100, 8192, SS_PACKING_FIRST_FIT);
    workload.parallelism.tp = given.tp;
    workload.parallelism.cp = given.cp;
    workload.parallelism.sequence_parallel = given.sequence;
    EXPECT_EQ(ss_documents_multiple(&workload), given.multiple);
    workload.parallelism.cp_split = SS_CP_SPLIT_SEQUENCE; /* the pieces of a sequence need nothing of documents */
    EXPECT_EQ(ss_documents_multiple(&workload), given.sequence == SS_YES && given.tp > 1 ? given.tp * given.cp : 1);
    workload.training.document_padding = 48;
    EXPECT_EQ(ss_documents_multiple(&workload), 48);
  }
}

/* Lengths that stand for all do not decrease, and have the mean of all, and quantiles: half of exponential ones are
 * below ln 2 of the mean; log-normal ones have the median of the logarithm's mean, and at the 841st of 1000 (that is,
 * the normal distribution at 1) sigma more. */
TEST(WholeDocuments, SamplesHaveTheDistribution)
{
  std::vector<double> length(4096);
  const auto sample = [&](const ss_workload &w) {
    ss_documents_sample(&w, length.data(), (int64_t)length.size());
    double sum = 0;
    for (size_t i = 0; i < length.size(); ++i) {
      EXPECT_TRUE(i == 0 || length[i] >= length[i - 1]);
      EXPECT_EQ(length[i], std::round(length[i]));
      sum += length[i];
    }
    return sum / (double)length.size();
  };
  EXPECT_NEAR(sample(packed(SS_DOCUMENTS_UNIFORM, 5000, 8192)), 5000, 1);
  EXPECT_NEAR(length[1024], 2500, 3);
  EXPECT_NEAR(sample(packed(SS_DOCUMENTS_EXPONENTIAL, 5000, 8192)), 5000, 5);
  EXPECT_NEAR(length[2048], 5000 * std::log(2), 2);
  EXPECT_NEAR(sample(packed(SS_DOCUMENTS_LOG_NORMAL, 5000, 8192, 1)), 5000, 25);
  EXPECT_NEAR(length[2048], 5000 * std::exp(-0.5), 2);
  EXPECT_NEAR(length[(size_t)(0.8413447 * 4096)], 5000 * std::exp(0.5), 8);
  EXPECT_EQ(sample(packed(SS_DOCUMENTS_FIXED, 1200, 8192)), 1200);
}

/* Documents of 6 and 2 of 8 tokens, shared out by two ranks in pieces of 2: the first rank has the first and the last.
 * Their queries compute, by half squares, 2; 8 - 2; 18 - 8; and, of the other document, 2: 4 and 16, of 20.
 * Neighbouring pieces on a rank: 8 and 12. Each query sees its document where attention looks both ways: 16 and 24. */
TEST(WholeDocuments, RanksWithUnlikeSharesByHand)
{
  const Listed listed({{6, 1}, {2, 1}}, 8, SS_PACKING_FIRST_FIT_DECREASING);
  ss_workload workload = split(listed.workload, 2);
  expect_close(imbalance(workload), 1.6, 1e-12);
  expect_close(ss_attention_mean_pairs(&workload), 32, 1e-12);
  expect_close(ss_attention_reach_of(&workload).seen, 40.0 / 8, 1e-12);
  workload.parallelism.cp_balance = SS_NO;
  expect_close(imbalance(workload), 1.2, 1e-12);
  workload.model.causal = SS_NO;
  expect_close(imbalance(workload), 24.0 / 20, 1e-12);
  workload = split(listed.workload, 4); /* groups of two neighbours have the pieces that two ranks had */
  workload.parallelism.cp_inner = 2;
  expect_close(imbalance(workload), 1.6, 1e-12);
  workload = split(listed.workload, 2);
  workload.parallelism.cp_exchange = SS_CP_ALL_TO_ALL; /* all tokens of some heads */
  EXPECT_EQ(imbalance(workload), 1);
  workload = split(listed.workload, 1);
  EXPECT_EQ(imbalance(workload), 1);
}

/* One document is shared out evenly by pairs of pieces; by neighbouring pieces, the last of four ranks has 16 - 9 of
 * 16, which is 7/4 of an even share, as without documents. */
TEST(WholeDocuments, SplitSequencesOfOneDocument)
{
  ss_workload workload = split(whole(SS_DOCUMENTS_FIXED, 4096, 4096, SS_PACKING_FIRST_FIT), 4);
  expect_close(imbalance(workload), 1, 1e-12);
  workload.parallelism.cp_balance = SS_NO;
  expect_close(imbalance(workload), 7.0 / 4, 1e-12);
  ss_workload none = workload;
  none.training.documents = SS_DOCUMENTS_NONE;
  none.training.packing = SS_PACKING_CUT;
  expect_close(attention_flop(workload), attention_flop(none), 1e-12);
}

/* Of a window of 1024 of 4096 tokens the ranks with the pieces in the middle, from 1536 on, have whole windows, 8/7 of
 * the mean, (1/32 + 3/16) x 4096. Without documents, the rank that has most counts likewise. */
TEST(WholeDocuments, WindowsAndChunksWithoutDocuments)
{
  for (const ss_switch balance : {SS_YES, SS_NO})
    for (const auto &[window, chunk] :
         std::vector<std::pair<int64_t, int64_t>>{{1024, 0}, {3000, 0}, {0, 1000}, {0, 700}}) {
      ss_workload one = split(whole(SS_DOCUMENTS_FIXED, 4096, 4096, SS_PACKING_FIRST_FIT), 4);
      one.parallelism.cp_exchange = SS_CP_GATHER;
      one.parallelism.cp_balance = balance;
      one.model.window = window;
      one.model.chunk = chunk;
      if (window == 1024) expect_close(imbalance(one), 8.0 / 7, 1e-12);
      ss_workload none = one;
      none.training.documents = SS_DOCUMENTS_NONE;
      none.training.packing = SS_PACKING_CUT;
      expect_close(attention_flop(one), attention_flop(none), 1e-12);
    }
}

/* Sequences that are cut, and then shared out as they are: the mean over those that are listed is near that of all
 * sequences, and documents that fill pieces evenly make no rank wait. */
TEST(WholeDocuments, CutSequencesThatAreSharedOut)
{
  for (const ss_documents documents : {SS_DOCUMENTS_EXPONENTIAL, SS_DOCUMENTS_LOG_NORMAL, SS_DOCUMENTS_UNIFORM})
    for (const double mean : {300.0, 3000.0, 100000.0}) {
      const ss_workload cut = packed(documents, mean, 8192, documents == SS_DOCUMENTS_LOG_NORMAL ? 0.8 : 0);
      const ss_workload shared = split(cut, 4);
      const ss_attention_reach all = ss_attention_reach_of(&cut), listed = ss_attention_reach_of(&shared);
      EXPECT_NEAR(listed.seen / all.seen, 1, 0.03) << documents << " " << mean;
      EXPECT_NEAR(listed.share, all.share, 1e-9);
      EXPECT_EQ(listed.useful, 1);
      EXPECT_GT(listed.imbalance, 1);
    }
  expect_close(imbalance(split(packed(SS_DOCUMENTS_FIXED, 1024, 8192), 4)), 1, 1e-12);
}

/* Documents far longer than all sequences are as if there were none, whatever their lengths. */
TEST(WholeDocuments, CutSequencesOfLongDocuments)
{
  for (const double mean : {1e9, 1e12}) {
    const ss_workload workload = split(packed(SS_DOCUMENTS_LOG_NORMAL, mean, 4096, 6), 2);
    EXPECT_NEAR(ss_attention_reach_of(&workload).seen, 4096, 82) << mean;
  }
}

/* A document of 8 pieces of 512 tokens, of which a token sees 512: half as many pairs in the first one as in each of
 * the others. Of 4 ranks, which have two pieces each of every document, those that do not have the first one compute 8
 * / 7.5 of the mean: as much as without documents. Of chunks as long as two pieces the second one has three times the
 * pairs of the first one: all ranks have one of each. */
TEST(WholeDocuments, RanksThatShareDocumentsOut)
{
  ss_workload whole_ones = whole(SS_DOCUMENTS_FIXED, 4096, 4096, SS_PACKING_FIRST_FIT);
  ss_workload stream = packed(SS_DOCUMENTS_FIXED, 1e12, 4096);
  for (ss_workload *w : {&whole_ones, &stream}) {
    w->parallelism.cp = 4;
    w->parallelism.cp_split = SS_CP_SPLIT_DOCUMENT;
    w->model.window = 512;
    expect_close(imbalance(*w), 8 / 7.5, 1e-6);
    ss_workload none = *w;
    none.training.documents = SS_DOCUMENTS_NONE;
    none.training.packing = SS_PACKING_CUT;
    expect_close(ss_attention_share(w, 4), ss_attention_share(&none, 4), 1e-6);
    w->model.window = 0;
    EXPECT_EQ(imbalance(*w), 1);
    w->model.chunk = 1024;
    expect_close(imbalance(*w), 1, 1e-6);
  }
}

/* 10 tokens in chunks of 4 that look both ways: 4 keys of the first 8, 2 of the last 2, 36 pairs in all. Two ranks with
 * neighbours have 20 and 16. */
TEST(WholeDocuments, ChunksThatLookBothWays)
{
  ss_workload workload = packed(SS_DOCUMENTS_NONE, 0, 10);
  workload.model.causal = SS_NO;
  workload.model.chunk = 4;
  workload.parallelism.cp = 2;
  workload.parallelism.cp_balance = SS_NO;
  expect_close(ss_attention_share(&workload, 1), 0.36, 1e-12);
  expect_close(ss_attention_share(&workload, 2), 0.40, 1e-12);
}

/* In a block: two ranks that have unlike shares compute as much as the one with most, and half of all where each
 * document is shared out. */
TEST(WholeDocuments, RanksOfABlock)
{
  const Listed listed({{1536, 1}, {512, 1}}, 2048, SS_PACKING_FIRST_FIT_DECREASING);
  const double one = attention_flop(listed.workload);
  ss_workload documents = split(listed.workload, 2), sequence = documents;
  documents.parallelism.cp_split = SS_CP_SPLIT_DOCUMENT;
  for (const ss_cp_exchange exchange : {SS_CP_GATHER, SS_CP_RING}) {
    documents.parallelism.cp_exchange = sequence.parallelism.cp_exchange = exchange;
    expect_close(attention_flop(documents), one / 2, 1e-2); /* but for row sums */
    expect_close(attention_flop(sequence), 1.6 * attention_flop(documents), 1e-2);
  }
}

namespace
{

/* A data set that is drawn, truncated and packed by other code and other random numbers: the share of useful tokens,
 * and half the squares of documents and what they leave. */
struct DataSet {
  double fill, pairs;
};

DataSet drawn(std::vector<double> length, double sequence, ss_packing packing)
{
  if (packing == SS_PACKING_FIRST_FIT_DECREASING) std::sort(length.rbegin(), length.rend());
  std::vector<double> used, squares;
  for (const double document : length) {
    const double tokens = std::min(document, sequence);
    size_t at = packing == SS_PACKING_NEXT_FIT && !used.empty() ? used.size() - 1 : 0;
    while (at < used.size() && used[at] + tokens > sequence) ++at;
    if (at == used.size()) {
      used.push_back(0);
      squares.push_back(0);
    }
    used[at] += tokens;
    squares[at] += tokens * tokens;
  }
  DataSet sums = {0, 0};
  for (size_t i = 0; i < used.size(); ++i) {
    const double left = sequence - used[i];
    sums.fill += used[i] / sequence / (double)used.size();
    sums.pairs += 0.5 * (squares[i] + left * left) / (double)used.size();
  }
  return sums;
}

} // namespace

/* Sequences that are listed are like those of a data set of 8000 documents; its standard error is below 1 %. */
TEST(WholeDocuments, MeansAreThoseOfDrawnDataSets)
{
  const double mean = 1200, sigma = 1.1;
  std::mt19937 random(3);
  std::lognormal_distribution<double> log_normal(std::log(mean) - sigma * sigma / 2, sigma);
  std::exponential_distribution<double> exponential(1 / mean);
  std::vector<double> normal(8000), memoryless(8000);
  for (double &length : normal) length = std::max(std::round(log_normal(random)), 1.0);
  for (double &length : memoryless) length = std::max(std::round(exponential(random)), 1.0);
  for (const ss_packing packing : kWhole)
    for (const int64_t sequence : {2048, 8192}) {
      const ss_workload a = whole(SS_DOCUMENTS_LOG_NORMAL, mean, sequence, packing, sigma);
      const ss_workload b = whole(SS_DOCUMENTS_EXPONENTIAL, mean, sequence, packing);
      const DataSet of_a = drawn(normal, (double)sequence, packing),
                    of_b = drawn(memoryless, (double)sequence, packing);
      EXPECT_NEAR(fill(a), of_a.fill, 0.02) << packing << " " << sequence;
      EXPECT_NEAR(fill(b), of_b.fill, 0.02) << packing << " " << sequence;
      EXPECT_NEAR(ss_attention_mean_pairs(&a) / of_a.pairs, 1, 0.05) << packing << " " << sequence;
      EXPECT_NEAR(ss_attention_mean_pairs(&b) / of_b.pairs, 1, 0.05) << packing << " " << sequence;
    }
}
