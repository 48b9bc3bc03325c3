/* Files that every page contains; the build embeds them. */
#ifndef STEPSIM_SIM_FIGURE_PAGE_FILES_H
#define STEPSIM_SIM_FIGURE_PAGE_FILES_H

/* sim/figure/page.css and page.js. */
extern const char ss_page_css[];
extern const char ss_page_js[];

#endif
