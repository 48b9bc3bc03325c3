/* Lines of a text file that lists things. */
#ifndef STEPSIM_SIM_IO_LINES_H
#define STEPSIM_SIM_IO_LINES_H

/* Cuts the next line off `text`, which then begins after it (NULL after the last one), and returns it without its
 * comment, from '#' on, and without white space around it. The bytes belong to the text. */
char *ss_line_next(char **text);

#endif
