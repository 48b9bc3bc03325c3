/* Refusals of sequences of several documents: of the GPT-3 workload. */
#ifndef STEPSIM_TESTS_SUPPORT_DOCUMENT_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_DOCUMENT_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

const std::vector<Refusal> document_refusals = {
    {SS_REFUSAL_document_mean,
     {"training.documents=exponential"},
     "PATH: training.document-mean=\"0\": is less than a token, the mean of training.documents=\"exponential\" "
     "documents; allowed: 1 or more"},
    {SS_REFUSAL_document_mean_given,
     {"training.document-mean=1200"},
     "--set: training.document-mean=\"1200\": is given, but does not count: training.documents=\"none\"; allowed: "
     "leave it out, or training.documents=\"fixed\", \"uniform\", \"exponential\" or \"lognormal\""},
    {SS_REFUSAL_document_sigma,
     {"training.documents=lognormal", "training.document-mean=1200"},
     "PATH: training.document-sigma=\"0\": makes all documents as long: training.documents=\"lognormal\"; allowed: "
     "above 0, or training.documents=\"fixed\""},
    {SS_REFUSAL_document_sigma_given,
     {"training.documents=fixed", "training.document-mean=1200", "training.document-sigma=1"},
     "--set: training.document-sigma=\"1\": is given, but does not count: training.documents=\"fixed\"; allowed: leave "
     "it out, or training.documents=\"lognormal\""},
    {SS_REFUSAL_document_lengths,
     {"training.documents=listed"},
     "--set: training.documents=\"listed\": is listed, but no file has the lengths: training.document-lengths=\"\"; "
     "allowed: another word, or a training.document-lengths"},
    {SS_REFUSAL_document_lengths_given,
     {"training.document-lengths=lengths.txt"},
     "--set: training.document-lengths=\"lengths.txt\": is given, but does not count: training.documents=\"none\"; "
     "allowed: leave it out, or training.documents=\"listed\""},
    {SS_REFUSAL_document_attention,
     {"training.documents=fixed", "training.document-mean=1200", "training.attention=unfused"},
     "--set: training.documents=\"fixed\": leaves out no logits where these are in memory: "
     "training.attention=\"unfused\"; allowed: none, or training.attention=\"flash\""},
    {SS_REFUSAL_document_tensor,
     {"training.documents=fixed", "training.document-mean=1200", "parallelism.tensor=summa"},
     "--set: training.documents=\"fixed\": has sequences of documents, which panels do not follow: "
     "parallelism.tensor=\"summa\"; allowed: none, or parallelism.tensor=\"1d\" or \"2d\""},
    {SS_REFUSAL_document_balance,
     {"training.documents=fixed", "training.document-mean=1200", "parallelism.cp=2", "parallelism.cp-balance=no"},
     "--set: parallelism.cp-balance=\"no\": is no with parallelism.cp=\"2\" and parallelism.tp2=\"1\", but each "
     "document is "
     "shared out evenly: training.documents=\"fixed\"; allowed: yes, or training.documents=\"none\""},
};

} // namespace stepsim

#endif
