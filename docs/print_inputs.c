/* Prints docs/inputs.md from the tables of attributes and properties; a test holds the file to it. */
#include <stdio.h>
#include <string.h>

#include "model/input/machine.h"
#include "model/input/workload.h"
#include "model/kernel/cost.h"
#include "model/plan/check/refusal_row.h"
#include "model/plan/check/refusals.h"

/* A text in a cell of a table: attributes that stand in braces are code, and bars do not end it. */
static void print_cell(const char *text)
{
  for (; *text != '\0'; ++text) {
    if (*text == '|') (void)putchar('\\');
    (void)putchar(*text == '{' || *text == '}' ? '`' : *text);
  }
}

static void print_words(const ss_attribute *row)
{
  for (const char *const *word = row->words; *word != NULL; ++word)
    printf("%s`%s`", word == row->words ? "" : ", ", *word);
}

static void print_allowed(const ss_attribute *row)
{
  switch (row->type) {
  case SS_ATTRIBUTE_TEXT: printf("text"); break;
  case SS_ATTRIBUTE_COUNT:
    printf("%.0f", row->minimum);
    if (row->maximum > row->minimum) printf(" to %.0f", row->maximum);
    break;
  case SS_ATTRIBUTE_REAL: printf("%g to %g", row->minimum, row->maximum); break;
  case SS_ATTRIBUTE_CHOICE: print_words(row); break;
  case SS_ATTRIBUTE_SET:
    printf("any of ");
    print_words(row);
    break;
  }
}

static void print_default(const ss_attribute *row)
{
  switch (row->type) {
  case SS_ATTRIBUTE_TEXT: printf("%s", row->text_fallback); break;
  case SS_ATTRIBUTE_CHOICE: printf("`%s`", row->words[(int)row->fallback]); break;
  case SS_ATTRIBUTE_SET: break;
  case SS_ATTRIBUTE_COUNT:
  case SS_ATTRIBUTE_REAL:
    if (row->fallback == SS_REQUIRED)
      printf("required");
    else if (row->fallback != SS_DERIVED || row->minimum <= 0)
      printf("%g", row->fallback);
    break;
  }
}

typedef struct element_row {
  const char *name, *purpose;
} element_row;

static const element_row elements[] = {
    {"model", "the transformer"},
    {"training", "batch, types of numbers, kernels, software, documents"},
    {"parallelism", "sizes of the strategy, and who shares what"},
    {"schedule", "order of passes, what communicates beside compute, algorithms of collectives"},
    {"placement", "which GPU is which rank"},
    {"run", "the whole run: checkpoints, failures and repairs ([plan.md](plan.md))"},
};

enum { element_total = sizeof elements / sizeof elements[0] };

static void print_contents(void)
{
  printf("Every attribute of a workload, what is refused, every property of a platform, and the cost models; "
         "[files.md](files.md)\nhas examples of both files, and [glossary.md](glossary.md) explains terms.\n\n"
         "| table | has |\n|---|---|\n");
  for (int i = 0; i < element_total; ++i)
    printf("| [%s](#%s) | %s |\n", elements[i].name, elements[i].name, elements[i].purpose);
  printf("| [refusals](#refusals) | what does not go together |\n"
         "| [platform](#platform) | the machine: GPUs, NVLink, fabric, collectives, host, power, prices, failures |\n"
         "| [cost models](#cost-models) | calibrated costs, and those of a paper |\n\n"
         "Printed from the tables in `model/input/workload_attributes.def`, `model/plan/check/refusals.def` and\n"
         "`model/input/machine_properties.def`.\n\n");
}

static void print_attributes(const char *element)
{
  const ss_attribute *rows = ss_workload_attributes();
  printf("\n### %s\n\n| attribute | allowed | default | meaning |\n|---|---|---|---|\n", element);
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    if (strcmp(rows[i].element, element) != 0) continue;
    printf("| `%s.%s` | ", rows[i].element, rows[i].name);
    print_allowed(&rows[i]);
    printf(" | ");
    print_default(&rows[i]);
    printf(" | ");
    print_cell(rows[i].help);
    printf(" |\n");
  }
}

static void print_workload(void)
{
  printf("## Workload\n\nEvery attribute can be overridden with `--set ELEMENT.ATTRIBUTE=VALUE`; with the value "
         "`default` it is as if it had not\nbeen given (a model.name may be that word). What says "
         "\"(calibrated costs)\" does\nnothing with `--cost sc24`.\n");
  for (int i = 0; i < element_total; ++i) print_attributes(elements[i].name);
}

static void print_property(const ss_property *row)
{
  static const char *const kinds[] = {[SS_PROPERTY_TEXT] = "text",
                                      [SS_PROPERTY_COUNT] = "a count, ",
                                      [SS_PROPERTY_QUANTITY] = "",
                                      [SS_PROPERTY_CURVE] = "a ratio, or SIZE:RATIO points; a size is "};
  const bool has_unit = row->type == SS_PROPERTY_QUANTITY || row->type == SS_PROPERTY_CURVE;
  const bool plain = row->type == SS_PROPERTY_QUANTITY && row->unit == SS_UNIT_NONE;
  const bool prices = row->type == SS_PROPERTY_CURVE && row->maximum > SS_LARGEST_RATIO;
  printf("| `%s` | %s", row->name, prices ? "dollars, or SIZE:DOLLARS points; a size is " : kinds[row->type]);
  if (plain || row->type == SS_PROPERTY_COUNT)
    printf("%.7g to %.7g", row->minimum, row->maximum);
  else if (has_unit)
    printf("%s", ss_unit_text(row->unit));
  printf(" | ");
  if (row->fallback == SS_PROPERTY_REQUIRED)
    printf("required");
  else if (row->fallback > 0 || plain)
    printf("%g%s", row->fallback,
           has_unit && row->type == SS_PROPERTY_QUANTITY && row->unit == SS_UNIT_SECONDS ? "s" : "");
  printf(" | %s |\n", row->help);
}

static void print_refusals_of(const char *element)
{
  printf("\n### Refusals of %s\n\n| attribute | is refused when it | allowed |\n|---|---|---|\n", element);
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) {
    const ss_refusal *row = &ss_refusals()[i];
    const ss_attribute *blamed = &ss_workload_attributes()[row->blamed];
    if (strcmp(blamed->element, element) != 0) continue;
    printf("| `%s.%s` | ", blamed->element, blamed->name);
    print_cell(row->problem);
    printf(" | %s%s", row->values, row->values[0] != '\0' && row->otherwise[0] != '\0' ? ", or " : "");
    print_cell(row->otherwise);
    printf(" |\n");
  }
}

static void print_refusals(void)
{
  printf("\n## Refusals\n\nWhat is missing, unknown or out of range is refused, and so is what makes no sense "
         "together. What only has no effect\n(sequence parallelism with tp 1) is allowed.\n");
  for (int i = 0; i < element_total; ++i) print_refusals_of(elements[i].name);
}

int main(void)
{
  printf("# Inputs\n\n");
  print_contents();
  print_workload();
  print_refusals();
  printf("\n## Platform\n\nProperties of the outer zone of a platform file; each can be overridden with `--set "
         "platform.PROPERTY=VALUE`.\n\n"
         "| property | allowed | default | meaning |\n|---|---|---|---|\n");
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) print_property(&ss_machine_properties()[i]);
#define COST_ROW(id, word, help) "| `" word "` | " help " |\n"
  printf("\n## Cost models\n\n| `--cost` | |\n|---|---|\n" SS_COST_LIST(COST_ROW));
  return 0;
}
