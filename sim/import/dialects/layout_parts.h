/* Layouts of a pipeline as lists of layers, one for each part of the model. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_LAYOUT_PARTS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_LAYOUT_PARTS_H

#include "sim/import/dialects/sheet.h"
#include "sim/import/files/settings.h"

/* Adds a part to a layout, with equal layers counted; that whose key ends in .0 begins it. SS_ERROR_INPUT for layers
 * that have no letter (LayerType of megatron/core/transformer/enums.py), and for a layout that is too long. */
ss_status ss_layout_part_add(ss_sheet *sheet, ss_attribute_index layout, const ss_setting *part, ss_error *error);

#endif
