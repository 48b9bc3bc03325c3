/* What pictures look like: colours that the colour-blind can tell apart, on light and on dark ground, as a style sheet
 * of classes. */
#ifndef STEPSIM_SIM_DRAW_STYLE_H
#define STEPSIM_SIM_DRAW_STYLE_H

#include <stdio.h>

/* Colours of series: X(enumerator, "class", "on light ground", "on dark ground", "class of a text on it"). The first
 * seven are those of Okabe and Ito, "Color Universal Design" (2008), yellow darker on light ground and blue lighter on
 * dark; the others differ from all of them in brightness. */
/* clang-format off */
#define SS_COLOUR_LIST(X) \
  X(SS_BLUE, "blue", "#0072b2", "#3d9be0", "white") \
  X(SS_ORANGE, "orange", "#e69f00", "#f0b030", "black") \
  X(SS_GREEN, "green", "#009e73", "#1fbf92", "white") \
  X(SS_VERMILLION, "vermillion", "#d55e00", "#f0743a", "white") \
  X(SS_PURPLE, "purple", "#cc79a7", "#dd9cc2", "black") \
  X(SS_SKY, "sky", "#56b4e9", "#8fd0f7", "black") \
  X(SS_YELLOW, "yellow", "#e8dc3a", "#f5ec70", "black") \
  X(SS_SLATE, "slate", "#4a5563", "#a9b4c2", "white") \
  X(SS_PALE, "pale", "#d3d8de", "#474f5a", "ink") \
  X(SS_TEAL, "teal", "#00504a", "#4d8f88", "white") \
  X(SS_MAROON, "maroon", "#7a1f3d", "#b5577a", "white") \
  X(SS_GREY, "grey", "#8d96a1", "#757f8b", "black")
/* clang-format on */

typedef enum ss_colour {
#define SS_COLOUR_ID(id, class, light, dark, text) id,
  SS_COLOUR_LIST(SS_COLOUR_ID)
#undef SS_COLOUR_ID
      SS_COLOURS
} ss_colour;

/* Steps of the scale of a heat map, from nothing to most: classes "heat0" to "heat9". */
#define SS_HEAT_STEPS 10

/* Room for the name of a class. */
#define SS_CLASS_SIZE 32

/* The class of shapes filled with a colour, of lines in it, and of texts on it. Static. */
const char *ss_style_fill(ss_colour colour);
const char *ss_style_line(ss_colour colour);
const char *ss_style_text_on(ss_colour colour);

/* The same of a share of the heat scale, clipped to [0, 1]: the first step is next to nothing, the others are equal. */
const char *ss_style_heat(double share);
const char *ss_style_text_on_heat(double share);

/* The colour of the i-th of many series, which repeat. */
ss_colour ss_style_series(long i);

/* Grounds that a style sheet is for: both, as the reader likes it and light on paper, or light only. */
typedef enum ss_ground { SS_GROUND_BOTH, SS_GROUND_LIGHT } ss_ground;

/* Writes the style sheet of pictures. */
void ss_style_write(ss_ground ground, FILE *stream);

#endif
