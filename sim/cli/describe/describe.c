/* describe: what the blocks of the model consist of, on one GPU and for one micro-batch, and where they are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/block/mixer/packing.h"
#include "model/estimate/model_size.h"
#include "model/input/documents.h"
#include "model/input/workload.h"
#include "model/plan/task_time.h"
#include "sim/cli/describe/stack.h"
#include "sim/cli/describe/stages.h"
#include "sim/cli/describe/step.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/inputs.h"
#include "sim/report/report.h"
#include "sim/report/table.h"
#include "sim/session/session.h"
#include "sim/session/used.h"

/* What is printed, and how: without a platform there are no seconds. */
typedef struct view {
  const ss_job *job;
  ss_block_kind kind;
  ss_pass pass;
  bool seconds;
} view;

/* One line of the table; columns that do not apply are NULL. */
typedef struct row {
  const char *name;
  const ss_kernel *kernel;
  const ss_call *call;
  const double *time_s;
} row;

enum {
  NAME_WIDTH = 36,
  FLOP_WIDTH = 12,
  BYTES_WIDTH = 10,
  OVER_WIDTH = 4,
  TIME_WIDTH = 12,
  TEXT_SIZE = 96,
  LINE_SIZE = 192
};

static void print_header(bool seconds)
{
  printf("  %-*s%*s%*s  %s%*s\n", NAME_WIDTH, "task", FLOP_WIDTH, "flop", BYTES_WIDTH, "bytes", "over",
         seconds ? TIME_WIDTH : 0, seconds ? "us" : "");
}

static void print_row(const view *v, row r)
{
  char flop[SS_TABLE_SCALED_SIZE] = "", bytes[SS_TABLE_SCALED_SIZE];
  const char *over = r.kernel != NULL ? "HBM" : ss_group_name(r.call->group);
  const bool timed = v->seconds && r.time_s != NULL;
  if (r.kernel != NULL) ss_table_scale(r.kernel->flop, "flop", flop);
  ss_table_scale(r.kernel != NULL ? r.kernel->hbm_bytes : r.call->volume_bytes, "B", bytes);
  printf("  %-*s%*s%*s  %-*s", NAME_WIDTH, r.name, FLOP_WIDTH, flop, BYTES_WIDTH, bytes, timed ? OVER_WIDTH : 0, over);
  if (timed) printf("%*.3f", TIME_WIDTH, 1e6 * *r.time_s);
  printf("\n");
}

/* How a collective runs beside its kernel. */
static void describe_beside(const view *v, const ss_overlap *overlap, char beside[TEXT_SIZE])
{
  const bool panels = v->job->workload->parallelism.tensor == SS_TENSOR_SUMMA;
  if (overlap->one_ring)
    (void)snprintf(beside, TEXT_SIZE, " beside, %" PRId64 "-step ring", overlap->call_pieces);
  else if (overlap->kernel_pieces > 1)
    (void)snprintf(beside, TEXT_SIZE, " beside, %" PRId64 " %s", overlap->kernel_pieces, panels ? "panels" : "pieces");
  else
    (void)snprintf(beside, TEXT_SIZE, " beside");
}

/* The time of a kernel covers the collectives that run beside it; a collective that runs alone has a time of its own.
 */
static void print_call(const view *v, const ss_task *task, int64_t index)
{
  const ss_call *call = &task->call[index];
  const char *kind = ss_activity_name(ss_collective_activity(call->kind));
  const double time_s =
      ss_comm_time_sum(ss_job_call_piece(v->job, v->kind, v->pass, task, index, v->job->span[call->group]));
  char name[LINE_SIZE], beside[TEXT_SIZE];
  describe_beside(v, &task->overlap, beside);
  (void)snprintf(name, sizeof name, "%s%s%s", task->computes ? "  " : "", kind,
                 task->computes ? beside : ss_role_text(task->role));
  print_row(v, (row){.name = name, .call = call, .time_s = task->computes ? NULL : &time_s});
}

static void print_task(const view *v, const ss_task *task)
{
  const double time_s = ss_duration_sum(ss_job_task_duration(v->job, v->kind, v->pass, task));
  char name[LINE_SIZE], products[TEXT_SIZE] = "";
  if (task->kernel.products > 1.0) (void)snprintf(products, sizeof products, " x %g", task->kernel.products);
  (void)snprintf(name, sizeof name, "%s%s%s", ss_activity_name(task->activity), ss_role_text(task->role), products);
  if (task->computes) print_row(v, (row){.name = name, .kernel = &task->kernel, .time_s = &time_s});
  for (int64_t i = 0; i < task->calls; ++i) print_call(v, task, i);
}

/* What is different about layers that training.recompute-layers or training.offload-layers leaves out. */
static const char *kept_text(const ss_workload *workload)
{
  if (workload->training.offload_layers != SS_DERIVED) return " that stays";
  return workload->training.recompute_method == SS_RECOMPUTE_UNIFORM ? " inside of a group"
                                                                     : " that recomputes nothing";
}

/* Layers of a model with several kinds are called by the letter of theirs. */
static void write_block_name(const ss_job *job, ss_block_kind kind, char name[TEXT_SIZE])
{
  const int64_t index = ss_block_kind_index(kind);
  const ss_block_traits *traits = ss_block_traits_of(kind);
  const bool keeps = traits->layer && !traits->recomputes;
  const ss_workload *workload = ss_layer_plan_workload(&job->layers, job->workload, kind);
  const char letter[] = {' ', (char)(index >= 0 ? ss_layer_plan_letter(&job->layers, index) : '\0'), '\0'};
  const bool experts = index >= 0 && letter[1] == '\0' && ss_workload_has_experts(workload);
  const bool is_16bit = index >= 0 && ss_layer_plan_is_16bit(&job->layers, index);
  (void)snprintf(name, TEXT_SIZE, "%s%s%s%s", ss_activity_name(experts ? SS_EXPERT_LAYER : traits->activity),
                 letter[1] != '\0' ? letter : "", is_16bit ? " in 16 bits" : "", keeps ? kept_text(job->workload) : "");
}

static void print_pass(const view *v)
{
  static const ss_activity passes[] = {
      [SS_PASS_FORWARD] = SS_FORWARD, [SS_PASS_BACKWARD] = SS_BACKWARD, [SS_PASS_WEIGHT] = SS_WEIGHT};
  const ss_task_list *list = ss_job_tasks(v->job, v->kind, v->pass);
  if (list->count == 0) return;
  char name[TEXT_SIZE];
  write_block_name(v->job, v->kind, name);
  printf("%s, %s", name, ss_activity_name(passes[v->pass]));
  if (v->seconds) printf(": %.3f us", 1e6 * ss_duration_sum(v->job->pass[v->kind][v->pass]));
  printf("\n");
  print_header(v->seconds);
  for (int64_t i = 0; i < list->count; ++i) print_task(v, &list->task[i]);
}

/* Begins with `before`; nothing where there are none. */
static void append_bytes(char text[LINE_SIZE], const char *before, double bytes, const char *after)
{
  char scaled[SS_TABLE_SCALED_SIZE];
  const size_t used = strlen(text);
  ss_table_scale(bytes, "B", scaled);
  (void)snprintf(text + used, LINE_SIZE - used, "%s%s%s", before, scaled, after);
}

/* What a GPU holds of a block. */
static void print_held(const ss_job *job, const ss_block *block)
{
  const double dense = block->parameters[SS_WEIGHTS_DENSE], expert = block->parameters[SS_WEIGHTS_EXPERT];
  char text[LINE_SIZE], count[SS_TABLE_SCALED_SIZE], experts[SS_TABLE_SCALED_SIZE];
  ss_table_count(dense, count);
  ss_table_count(expert, experts);
  (void)snprintf(text, sizeof text, "parameters %s%s%s%s", count, expert > 0.0 ? " and " : "",
                 expert > 0.0 ? experts : "", expert > 0.0 ? " of experts" : "");
  append_bytes(text, ", activations kept ", block->stored_bytes, "");
  if (job->workload->training.offload_modules != 0)
    append_bytes(text, ", ", block->offload_bytes, " of them offloaded");
  if (block->working_bytes > 0.0) append_bytes(text, ", ", block->working_bytes, " more while recomputed");
  if (block->scratch_bytes > 0.0) append_bytes(text, ", ", block->scratch_bytes, " more for a moment");
  if (job->shape.schedule->splits_backward && block->deferred_bytes > 0.0)
    append_bytes(text, ", ", block->deferred_bytes, " up to the weight gradients");
  printf("  ");
  ss_table_print_wrapped(stdout, text, 2);
}

static void print_block(const ss_job *job, ss_block_kind kind, bool seconds)
{
  const ss_block *block = &job->block[kind];
  for (int pass = 0; pass < SS_PASSES; ++pass) print_pass(&(view){job, kind, (ss_pass)pass, seconds});
  print_held(job, block);
}

static bool occurs(const ss_job *job, ss_block_kind kind)
{
  const int64_t blocks = job->block_first[job->stages * job->chunks];
  return memchr(job->block_kind, (int)kind, (size_t)blocks) != NULL;
}

static ss_status print_size(const ss_session *session, ss_error *error)
{
  ss_model_size size;
  const ss_status status = ss_model_size_of(&session->workload, &session->machine, &size, error);
  if (status != SS_OK) return status;
  char parameters[SS_TABLE_SCALED_SIZE], active[SS_TABLE_SCALED_SIZE];
  ss_table_count(size.parameters, parameters);
  ss_table_count(size.active, active);
  if (size.active < size.parameters)
    printf("%s parameters, %s of them for a token\n", parameters, active);
  else
    printf("%s parameters\n", parameters);
  return SS_OK;
}

/* How whole documents fill sequences. */
static void print_fill(const ss_workload *w)
{
  if (w->training.packing == SS_PACKING_CUT) return;
  ss_table_print_sentence(stdout,
                          "whole documents, their tokens padded to a multiple of %" PRId64
                          ", fill %.4g %% of sequences, and the rest is padding: %.6g useful tokens in an iteration",
                          ss_documents_multiple(w), 100.0 * ss_useful_share(w),
                          ss_useful_share(w) * (double)w->model.sequence * (double)w->training.global_batch);
}

/* What the documents of sequences make of attention. */
static void print_documents(const ss_workload *w)
{
  if (w->training.documents == SS_DOCUMENTS_NONE) return;
  const double whole = ss_attention_pairs(w, (double)w->model.sequence);
  ss_table_print_sentence(stdout,
                          "documents of %.6g tokens on average, in sequences of %" PRId64
                          ": a token is in a piece of %.6g; attention %.4g "
                          "%% of that of whole sequences, which differs by %.3g %% from sequence to sequence",
                          ss_documents_mean(w), w->model.sequence, ss_attention_reach_of(w).span,
                          100.0 * ss_attention_mean_pairs(w) / whole, 100.0 * ss_attention_spread(w).deviation);
  print_fill(w);
}

/* Routes that the platform has of its own. */
static ss_status print_routes(const ss_machine *machine, ss_error *error)
{
  ss_route_summary routes;
  if (machine->forwarding == NULL) return SS_OK;
  const ss_status status = ss_route_summary_make(machine, &routes, error);
  if (status == SS_OK) ss_report_routes(stdout, &routes);
  return status;
}

int ss_command_describe(const ss_options *options)
{
  ss_session session = {.stage_memory = NULL};
  ss_error error = {0};
  ss_status status = ss_inputs_session(&options->common, &session, &error);
  if (status == SS_OK) status = ss_session_complete(&session, &options->common, &error);
  if (status == SS_OK) status = ss_used_without_replay(&session.machine, "run", &error);
  if (status == SS_OK) status = ss_used_without_trials(&session.machine, &error);
  if (status == SS_OK) {
    const bool seconds = options->common.platform != NULL;
    printf("%s%s%s, %s costs: one GPU, one micro-batch\n", session.workload.model.name, seconds ? " on " : "",
           seconds ? session.machine.name : "", ss_cost_word(options->common.cost));
    status = print_size(&session, &error);
    ss_describe_stack(&session.workload, seconds ? &session.machine : NULL);
    if (status == SS_OK) status = print_routes(&session.machine, &error);
    if (status == SS_OK) print_documents(&session.workload);
    for (int kind = 0; kind < SS_BLOCK_COUNT && status == SS_OK; ++kind)
      if (occurs(&session.job, (ss_block_kind)kind)) print_block(&session.job, (ss_block_kind)kind, seconds);
    ss_describe_stages(&session.job, seconds);
    ss_describe_experts(&session.job);
    ss_describe_step(&session.job, seconds);
  }
  ss_session_close(&session);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
