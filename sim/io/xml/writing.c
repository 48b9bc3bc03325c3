#include "sim/io/xml/writing.h"

#include <string.h>

#define LINE_END "\n"

void ss_writing_check(ss_writing *w, int written)
{
  if (written < 0) w->failed = true;
}

void ss_writing_attribute(ss_writing *w, const char *name, const char *value)
{
  ss_writing_check(w, xmlTextWriterWriteAttribute(w->xml, BAD_CAST name, BAD_CAST value));
}

void ss_writing_raw(ss_writing *w, const char *text)
{
  ss_writing_check(w, xmlTextWriterWriteRaw(w->xml, BAD_CAST text));
}

void ss_writing_start(ss_writing *w, const char *indent, const char *name)
{
  ss_writing_raw(w, indent);
  ss_writing_check(w, xmlTextWriterStartElement(w->xml, BAD_CAST name));
}

void ss_writing_end(ss_writing *w)
{
  ss_writing_check(w, xmlTextWriterEndElement(w->xml));
  ss_writing_raw(w, LINE_END);
}

ss_status ss_writing_check_comment(const char *comment, ss_error *error)
{
  bool plain = strstr(comment, "--") == NULL && xmlCheckUTF8(BAD_CAST comment);
  for (const char *at = comment; *at != '\0'; ++at) plain = plain && ((unsigned char)*at >= ' ' || *at == '\n');
  if (plain) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "the command line cannot stand in an XML comment; allowed: UTF-8 without control characters");
}

ss_status ss_writing_text(void (*write)(ss_writing *w, const void *what), const void *what, char **text,
                          ss_error *error)
{
  *text = NULL;
  xmlBuffer *buffer = xmlBufferCreate();
  ss_writing w = {.xml = buffer != NULL ? xmlNewTextWriterMemory(buffer, 0) : NULL};
  if (w.xml != NULL) {
    write(&w, what);
    xmlFreeTextWriter(w.xml);
    if (!w.failed) *text = strdup((const char *)xmlBufferContent(buffer));
  }
  xmlBufferFree(buffer);
  return *text != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a file");
}
