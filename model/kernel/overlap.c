#include "model/kernel/overlap.h"

#include "model/base/error.h"
#include "model/base/number.h"

ss_overlap ss_overlap_beside(void)
{
  return (ss_overlap){.kernel_pieces = 1, .call_pieces = 1, .lag = 1};
}

double ss_overlap_time(const ss_overlap *overlap, double kernel_piece_s, double call_piece_s)
{
  SS_ASSERT(overlap->kernel_pieces > 0 && overlap->call_pieces > 0);
  const int64_t first = overlap->kernel_first ? overlap->kernel_pieces : overlap->call_pieces;
  const int64_t second = overlap->kernel_first ? overlap->call_pieces : overlap->kernel_pieces;
  const double first_s = overlap->kernel_first ? kernel_piece_s : call_piece_s;
  const double second_s = overlap->kernel_first ? call_piece_s : kernel_piece_s;
  /* Piece j of the second kind starts after j - lag pieces of the first, and all from it on follow: the second kind
   * ends when the latest such chain does. Its length is linear in j up to the last piece that waits for one more piece
   * than the piece before it, and falls from there on, so the longest chain is the first or that one. */
  const int64_t last = second < first + overlap->lag ? second : first + overlap->lag;
  const double first_chain_s = ss_max((double)(1 - overlap->lag), 0.0) * first_s + (double)second * second_s;
  const double last_chain_s =
      ss_max((double)(last - overlap->lag), 0.0) * first_s + (double)(second - last + 1) * second_s;
  return ss_max((double)first * first_s, ss_max(first_chain_s, last_chain_s));
}
