/* Refusals of sequences of several documents: of the GPT-3 workload. */
#ifndef STEPSIM_TESTS_SUPPORT_DOCUMENT_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_DOCUMENT_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

const std::vector<Refusal> document_refusals = {
    {SS_REFUSAL_document_mean,
     {"training.documents=exponential"},
     "PATH:7: training.document-mean=\"0\": is less than a token, the mean of training.documents=\"exponential\" "
     "documents; allowed: 1 or more"},
    {SS_REFUSAL_document_mean_given,
     {"training.document-mean=1200"},
     "--set: training.document-mean=\"1200\": is given, but does not count: training.documents=\"none\"; allowed: "
     "leave it out, or training.documents=\"fixed\", \"uniform\", \"exponential\" or \"lognormal\""},
    {SS_REFUSAL_document_sigma,
     {"training.documents=lognormal", "training.document-mean=1200"},
     "PATH:7: training.document-sigma=\"0\": makes all documents as long: training.documents=\"lognormal\"; allowed: "
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
     "shared out evenly: training.documents=\"fixed\"; allowed: yes, parallelism.cp-split=\"sequence\", or "
     "training.documents=\"none\""},
    {SS_REFUSAL_packing_documents,
     {"training.packing=first-fit"},
     "--set: training.packing=\"first-fit\": has no documents to pack: training.documents=\"none\"; allowed: cut, or "
     "another word for training.documents"},
    {SS_REFUSAL_packing_long,
     {"training.documents=fixed", "training.document-mean=1200", "training.long-documents=drop"},
     "--set: training.long-documents=\"drop\": is given, but does not count: training.packing=\"cut\"; allowed: leave "
     "it out, or another training.packing"},
    {SS_REFUSAL_packing_padding,
     {"training.documents=fixed", "training.document-mean=1200", "training.document-padding=16"},
     "--set: training.document-padding=\"16\": is given, but does not count: training.packing=\"cut\"; allowed: leave "
     "it out, or another training.packing"},
    {SS_REFUSAL_packing_context,
     {"training.documents=fixed", "training.document-mean=1200", "training.packing=first-fit",
      "training.document-padding=6", "parallelism.cp=2"},
     "--set: training.document-padding=\"6\": is no multiple of 2 pieces of a document for each rank: "
     "parallelism.cp=\"2\" * parallelism.tp2=\"1\"; allowed: leave it out, or a multiple of that"},
    {SS_REFUSAL_packing_multiple,
     {"training.documents=fixed", "training.document-mean=1200", "training.packing=first-fit",
      "training.document-padding=4096"},
     "PATH:5: model.sequence=\"2048\": is less than what each document is padded to: "
     "training.document-padding=\"4096\", parallelism.tp=\"8\" and parallelism.cp=\"1\"; allowed: longer sequences, or "
     "a smaller training.document-padding"},
    {SS_REFUSAL_packing_many,
     {"training.documents=fixed", "training.document-mean=1.5", "training.packing=first-fit"},
     "--set: training.documents=\"fixed\": has more than 1024 documents in a sequence: model.sequence=\"2048\"; "
     "allowed: longer documents, or training.packing=\"cut\" with parallelism.cp-split=\"document\""},
    {SS_REFUSAL_packing_none,
     {"training.documents=fixed", "training.document-mean=3000", "training.packing=first-fit",
      "training.long-documents=drop"},
     "--set: training.long-documents=\"drop\": leaves no documents, all of which are longer than "
     "model.sequence=\"2048\"; allowed: truncate, or longer sequences"},
    {SS_REFUSAL_split_ranks,
     {"model.sequence=4096", "training.documents=fixed", "training.document-mean=3000", "parallelism.cp=2048",
      "parallelism.cp-split=sequence"},
     "--set: parallelism.cp-split=\"sequence\": is sequence with more than 1024 ranks: parallelism.cp=\"2048\" * "
     "parallelism.tp2=\"1\"; allowed: document, or fewer ranks"},
    {SS_REFUSAL_split_batch,
     {"training.documents=fixed", "training.document-mean=3000", "training.micro-batch=2", "parallelism.cp=2",
      "parallelism.cp-split=sequence"},
     "--set: training.micro-batch=\"2\": is above 1 where ranks have unlike shares of each sequence: "
     "parallelism.cp-split=\"sequence\"; allowed: 1, or parallelism.cp-split=\"document\""},
};

} // namespace stepsim

#endif
