#include "sim/figure/page.h"

#include <stdlib.h>
#include <string.h>

#include "sim/draw/style.h"
#include "sim/figure/page_files.h"
#include "sim/report/report.h"

/* A page in the making; the first failure is kept. */
typedef struct page {
  FILE *stream;
  const ss_subject *subject;
  ss_status status;
  ss_error *error;
} page;

static void write_sizes(page *p, const ss_figure_row *figure)
{
  static const ss_figure_size sizes[] = {{.variant = "wide", .width = SS_FIGURE_WIDE},
                                         {.variant = "narrow", .width = SS_FIGURE_NARROW}};
  for (int i = 0; p->status == SS_OK && i < 2; ++i)
    p->status = ss_figure_write(p->subject, figure, &sizes[i], p->stream, p->error);
}

static void write_figure(page *p, const ss_figure_row *figure)
{
  (void)fprintf(p->stream, "<section id=\"%s\">\n<h2>", figure->name);
  ss_svg_escape(p->stream, figure->title);
  (void)fputs("</h2>\n<p class=\"note\">", p->stream);
  ss_svg_escape(p->stream, figure->note);
  (void)fputs("</p>\n<figure>\n", p->stream);
  write_sizes(p, figure);
  (void)fputs("</figure>\n", p->stream);
  if (figure->table != NULL) {
    (void)fputs("<details><summary>Numbers</summary>\n", p->stream);
    figure->table(p->stream, p->subject->report);
    (void)fputs("</details>\n", p->stream);
  }
  (void)fputs("</section>\n", p->stream);
}

static void write_contents(const page *p)
{
  (void)fputs("<nav aria-label=\"Figures\"><ul>\n", p->stream);
  for (int64_t i = 0; i < p->subject->figures; ++i) {
    const ss_figure_row *figure = &p->subject->figure[i];
    if (!ss_figure_shows(p->subject, figure)) continue;
    (void)fprintf(p->stream, "<li><a href=\"#%s\">%s</a></li>\n", figure->name, figure->name);
  }
  (void)fputs("</ul></nav>\n", p->stream);
}

/* A script must not end within its data. */
static void write_safely(FILE *stream, const char *json)
{
  for (; *json != '\0'; ++json) {
    if (*json == '<')
      (void)fputs("\\u003c", stream);
    else
      (void)fputc(*json, stream);
  }
}

static void write_data(page *p)
{
  char *json = NULL;
  if (p->status == SS_OK) p->status = p->subject->json(p->subject->report, &json, p->error);
  if (p->status != SS_OK) return;
  (void)fputs("<script type=\"application/json\" id=\"result\">", p->stream);
  write_safely(p->stream, json);
  (void)fputs("</script>\n", p->stream);
  free(json);
  if (p->subject->write_data == NULL) return;
  (void)fputs("<script type=\"application/json\" id=\"data\">", p->stream);
  p->subject->write_data(p->stream, p->subject->report);
  (void)fputs("</script>\n", p->stream);
}

static void write_page(page *p)
{
  (void)fprintf(p->stream,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
                "<title>stepsim %s</title>\n<style>\n%s",
                p->subject->command, ss_page_css);
  ss_style_write(SS_GROUND_BOTH, p->stream);
  (void)fprintf(p->stream, "</style>\n</head>\n<body class=\"of-%s\">\n<main>\n<header>\n", p->subject->command);
  p->subject->head(p->stream, p->subject->report);
  (void)fputs("</header>\n", p->stream);
  write_contents(p);
  for (int64_t i = 0; p->status == SS_OK && i < p->subject->figures; ++i)
    if (ss_figure_shows(p->subject, &p->subject->figure[i])) write_figure(p, &p->subject->figure[i]);
  (void)fputs("<section id=\"json\"><h2>Data</h2>\n<p class=\"note\">The same as <code>--json</code> writes, in SI "
              "units.</p>\n<details><summary>JSON</summary><pre id=\"shown\"></pre></details></section>\n</main>\n"
              "<div id=\"tip\" role=\"status\" hidden></div>\n",
              p->stream);
  write_data(p);
  (void)fprintf(p->stream, "<script>\n%s</script>\n</body>\n</html>\n", ss_page_js);
}

ss_status ss_page_write(const char *path, const ss_subject *subject, ss_error *error)
{
  char *text = NULL;
  size_t size = 0;
  page p = {.stream = open_memstream(&text, &size), .subject = subject, .error = error};
  if (p.stream != NULL) write_page(&p);
  const bool complete = p.stream != NULL && fclose(p.stream) == 0;
  if (!complete && p.status == SS_OK)
    p.status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a page");
  if (p.status == SS_OK) p.status = ss_report_bytes(path, text, error);
  free(text);
  return p.status;
}
