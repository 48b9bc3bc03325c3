/* Prints docs/knobs.md, what a strategy can say; a test holds the file to it and follows every link.
 * Values and defaults come from the tables of attributes and properties, and no attribute of a strategy may be left
 * out. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/input/machine.h"
#include "model/input/workload.h"

/* A function that does it. */
typedef struct place {
  const char *file, *function;
} place;

/* Lists end with 0: neither the model's name nor the accelerator's is a knob. */
#define MAX_ATTRIBUTES 17
typedef struct knob {
  const char *name;
  ss_attribute_index attributes[MAX_ATTRIBUTES];
  ss_property_index properties[MAX_ATTRIBUTES];
  const char *effect;
  place closed_form, replay, memory;
} knob;

static const knob knobs[] = {
#include "docs/knobs.def"
};

#define KNOBS (sizeof knobs / sizeof knobs[0])

static const char *emphasis(bool is_default)
{
  return is_default ? "**" : "";
}

static void print_choices(const ss_attribute *row)
{
  for (int i = 0; row->words[i] != NULL; ++i) {
    const char *marks = emphasis(row->type == SS_ATTRIBUTE_CHOICE && i == (int)row->fallback);
    printf("%s%s%s%s", i == 0 ? "" : ", ", marks, row->words[i], marks);
  }
}

/* Upper ends are only there to catch slips; what follows from other attributes has no number to show. */
static void print_number(const ss_attribute *row)
{
  printf("from %g", row->minimum);
  const bool derived = row->type == SS_ATTRIBUTE_COUNT && row->fallback == SS_DERIVED && row->minimum > 0.0;
  if (!derived && row->fallback != SS_REQUIRED) printf(", **%g**", row->fallback);
}

static void print_attribute(const ss_attribute *row)
{
  printf("`%s.%s`: ", row->element, row->name);
  switch (row->type) {
  case SS_ATTRIBUTE_TEXT: printf(row->text_fallback[0] != '\0' ? "**%s**" : "text", row->text_fallback); break;
  case SS_ATTRIBUTE_CHOICE: print_choices(row); break;
  case SS_ATTRIBUTE_SET:
    printf("any of ");
    print_choices(row);
    break;
  case SS_ATTRIBUTE_COUNT:
  case SS_ATTRIBUTE_REAL: print_number(row); break;
  }
}

static void print_place(const place *where)
{
  if (where->file == NULL)
    printf(" |");
  else
    printf(" [%s](../%s) |", where->function, where->file);
}

static void print_knob(const knob *row)
{
  const char *separator = "";
  printf("| %s | ", row->name);
  for (int i = 0; i < MAX_ATTRIBUTES && row->attributes[i] != 0; ++i, separator = "<br>") {
    printf("%s", separator);
    print_attribute(&ss_workload_attributes()[row->attributes[i]]);
  }
  for (int i = 0; i < MAX_ATTRIBUTES && row->properties[i] != 0; ++i, separator = "<br>")
    printf("%s`platform.%s`", separator, ss_machine_properties()[row->properties[i]].name);
  printf(" | %s |", row->effect);
  print_place(&row->closed_form);
  print_place(&row->replay);
  print_place(&row->memory);
  printf("\n");
}

static bool is_listed(ss_attribute_index index)
{
  for (size_t i = 0; i < KNOBS; ++i)
    for (int j = 0; j < MAX_ATTRIBUTES; ++j)
      if (knobs[i].attributes[j] == index) return true;
  return false;
}

/* Everything but the model itself is a knob. */
static bool is_complete(void)
{
  bool complete = true;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    if (strcmp(row->element, "model") == 0 || is_listed((ss_attribute_index)i)) continue;
    (void)fprintf(stderr, "%s.%s is missing in the table of knobs\n", row->element, row->name);
    complete = false;
  }
  return complete;
}

int main(void)
{
  printf("# Knobs\n\n"
         "The attributes of a strategy, and the code in which each acts. Closed form and replay run the same tasks, so "
         "many\nattributes act in both through the task lists. [inputs.md](inputs.md) has every attribute with its "
         "range, and the\ncombinations that are refused.\n\n");
  printf("| knob | values (**default**) | effect | closed form | replay | memory |\n|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < KNOBS; ++i) print_knob(&knobs[i]);
  return is_complete() ? 0 : 1;
}
