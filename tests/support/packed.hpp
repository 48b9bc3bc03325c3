/* Workloads whose sequences have several documents. */
#ifndef STEPSIM_TESTS_SUPPORT_PACKED_HPP
#define STEPSIM_TESTS_SUPPORT_PACKED_HPP

#include <vector>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/block/mixer/packing.h"
#include "model/input/documents.h"
}

namespace stepsim
{

inline ss_workload packed(ss_documents documents, double mean, int64_t sequence, double sigma = 0)
{
  ss_workload workload = make_workload();
  workload.model.sequence = sequence;
  workload.training.documents = documents;
  workload.training.document_mean = mean;
  workload.training.document_sigma = sigma;
  return workload;
}

/* A workload with a list of lengths. */
struct Listed {
  Listed(std::vector<ss_documents_of_length> documents, int64_t sequence, ss_packing packing = SS_PACKING_CUT)
      : list(ss_document_list_create(documents.data(), (int64_t)documents.size())),
        workload(packed(SS_DOCUMENTS_LISTED, 0, sequence))
  {
    (void)snprintf(workload.training.document_lengths, sizeof workload.training.document_lengths, "listed");
    workload.document_list = list;
    workload.training.packing = packing;
  }
  Listed(const Listed &) = delete;
  ~Listed()
  {
    ss_document_list_destroy(list);
  }
  ss_document_list *list;
  ss_workload workload;
};

} // namespace stepsim

#endif
