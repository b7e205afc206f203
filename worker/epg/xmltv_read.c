/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/xmltv_read.h"

#include "common/base/alloc.h"
#include "common/base/sorted.h"
#include "worker/epg/xmltv_time.h"
#include "worker/epg/xmltv_words.h"

#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ID_MAX = 255, /* most bytes of the id of a channel */
	AGE_MIN = 4, AGE_MAX = 18, /* ages that the parental rating of an EIT
				    * can represent */
	ROOT = 1, PROGRAMME, CHILD, VALUE, /* depth of the root, of a programme,
					    * of its elements, and of their
					    * elements */
};

/* The elements of a programme whose texts are read. */
enum element { OTHER, TITLE, SUMMARY, DETAILS, CATEGORY, RATING };

static const char *const elements[] = {
	[TITLE] = "title", [SUMMARY] = "sub-title", [DETAILS] = "desc",
	[CATEGORY] = "category", [RATING] = "rating",
};

struct xmltv_reader {
	XML_Parser parser;
	const struct xmltv_reader_events *events;
	void *arg;
	unsigned depth;
	unsigned programmes, channels;
	uint64_t fed; /* bytes of the document so far */
	char *names[XMLTV_NAMES_MAX]; /* the names of elements and attributes so
				       * far, sorted */
	size_t n_names;
	/* true: a programme of a wanted channel is being read */
	bool wanted;
	char channel[ID_MAX + 1];
	struct xmltv_found found;
	struct eit_facts facts;
	/* the element of the programme that is being read */
	enum element element;
	bool reads; /* the text of the element is being read */
	char lang[4];
	char text[EIT_TEXT_SIZE];
	size_t len;
	uint64_t refused;
	struct errmsg refusal; /* why the first programme was rejected */
	struct errmsg error; /* why the document is rejected; "": it is not, or
			      * expat has the error */
};

static unsigned long line_of(const struct xmltv_reader *r)
{
	return XML_GetCurrentLineNumber(r->parser);
}

static void PRINTF_LIKE(2, 3) refuse(struct xmltv_reader *r, const char *format,
				     ...)
{
	struct errmsg text;
	va_list list;

	va_start(list, format);
	(void)vsnprintf(text.text, sizeof text.text, format, list);
	va_end(list);
	errmsg_set(&r->error, "line %lu: %s", line_of(r), text.text);
	(void)XML_StopParser(r->parser, XML_FALSE);
}

static void PRINTF_LIKE(2, 3) refuse_programme(struct xmltv_reader *r,
					       const char *format, ...)
{
	struct errmsg text;
	va_list list;

	r->wanted = false;
	if (r->refused++ > 0)
		return;
	va_start(list, format);
	(void)vsnprintf(text.text, sizeof text.text, format, list);
	va_end(list);
	errmsg_set(&r->refusal, "line %lu: %s", line_of(r), text.text);
}

static bool is_refused(const struct xmltv_reader *r)
{
	return r->error.text[0] != '\0';
}

static const char *attribute(const char **list, const char *name)
{
	for (; list[0] != NULL; list += 2)
		if (strcmp(list[0], name) == 0)
			return list[1];
	return NULL;
}

/* --- programmes --- */

static void begin_programme(struct xmltv_reader *r, const char **attributes)
{
	const char *channel = attribute(attributes, "channel");
	const char *start = attribute(attributes, "start");
	const char *stop = attribute(attributes, "stop");

	r->found = (struct xmltv_found){ .facts = &r->facts };
	r->facts.n_texts = r->facts.n_contents = r->facts.cut = 0;
	r->facts.age = 0;
	if (channel == NULL || channel[0] == '\0' || strlen(channel) > ID_MAX) {
		refuse_programme(r, "channel: is missing or longer than %d "
				 "bytes", ID_MAX);
		return;
	}
	r->wanted = r->events->wants(channel, r->arg);
	if (!r->wanted)
		return;
	memcpy(r->channel, channel, strlen(channel) + 1);
	if (start == NULL ||
	    xmltv_time_parse(start, &r->found.start_s) < 0) {
		refuse_programme(r, "start: \"%.32s\" is no date", start != NULL
							       ? start : "");
		return;
	}
	r->found.has_stop = stop != NULL;
	if (stop != NULL && xmltv_time_parse(stop, &r->found.stop_s) < 0)
		refuse_programme(r, "stop: \"%.32s\" is no date", stop);
	else if (stop != NULL && r->found.stop_s <= r->found.start_s)
		refuse_programme(r, "stop: \"%.32s\" is not after the start",
				 stop);
}

static void end_programme(struct xmltv_reader *r)
{
	if (r->wanted)
		r->events->on_programme(r->channel, &r->found, r->arg);
	r->wanted = false;
}

/* --- the elements of a programme --- */

static void begin_child(struct xmltv_reader *r, const char *name,
			const char **attributes)
{
	const char *lang = attribute(attributes, "lang");

	r->element = OTHER;
	for (size_t i = 0; i < ARRAY_LEN(elements); i++)
		if (elements[i] != NULL && strcmp(elements[i], name) == 0)
			r->element = (enum element)i;
	xmltv_lang_read(lang != NULL ? lang : "", r->lang);
	/* the text of a rating is in its element "value" */
	r->reads = r->element != OTHER && r->element != RATING;
	r->len = 0;
}

/* The texts in r->lang, which are added if they are new; NULL: there are
 * EIT_TEXTS_MAX languages already. */
static struct eit_text *texts_of(struct xmltv_reader *r)
{
	struct eit_facts *f = &r->facts;
	struct eit_text *t;

	for (size_t i = 0; i < f->n_texts; i++)
		if (strcmp(f->texts[i].lang, r->lang) == 0)
			return &f->texts[i];
	if (f->n_texts == EIT_TEXTS_MAX)
		return NULL;
	t = &f->texts[f->n_texts++];
	memcpy(t->lang, r->lang, sizeof t->lang);
	t->title[0] = t->summary[0] = t->details[0] = '\0';
	return t;
}

/* Stores a title, sub-title or description, unless the programme already has
 * one in this language. */
static void take_text(struct xmltv_reader *r, const char *text)
{
	struct eit_text *t = texts_of(r);
	char *to;

	if (t == NULL)
		return;
	to = r->element == TITLE ? t->title
	     : r->element == SUMMARY ? t->summary : t->details;
	if (to[0] == '\0')
		memcpy(to, text, strlen(text) + 1);
}

/* Adds the content of a category.  A content with a level 2 replaces an earlier
 * content of the same genre without one. */
static void take_category(struct xmltv_reader *r, const char *text)
{
	struct eit_facts *f = &r->facts;
	uint8_t content = xmltv_content(text);

	if (content == 0)
		return;
	for (size_t i = 0; i < f->n_contents; i++) {
		uint8_t other = f->contents[i];

		if (other == content ||
		    (other >> 4 == content >> 4 && (content & 15) == 0))
			return;
		if (other >> 4 == content >> 4 && (other & 15) == 0) {
			f->contents[i] = content;
			return;
		}
	}
	if (f->n_contents < EIT_CONTENTS_MAX)
		f->contents[f->n_contents++] = content;
}

/* Reads the age in a rating: the number in "12", "PG-13", "FSK 16". */
static void take_rating(struct xmltv_reader *r, const char *text)
{
	unsigned long age;

	text += strcspn(text, "0123456789");
	age = strtoul(text, NULL, 10);
	if (age < AGE_MIN || age > AGE_MAX)
		return;
	if (r->facts.age == 0 || age < r->facts.age)
		r->facts.age = (uint8_t)age;
}

/* The text without white space at both ends.  Tabs become blanks, because the
 * character tables of DVB have no tab. */
static const char *trim(struct xmltv_reader *r)
{
	const char *text = r->text;

	while (r->len > 0 && isspace((unsigned char)r->text[r->len - 1]))
		r->len--;
	r->text[r->len] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	for (char *tab = r->text; (tab = strchr(tab, '\t')) != NULL;)
		*tab = ' ';
	return text;
}

static void end_text(struct xmltv_reader *r)
{
	const char *text = trim(r);

	r->reads = false;
	if (text[0] == '\0')
		return;
	if (r->element == CATEGORY)
		take_category(r, text);
	else if (r->element == RATING)
		take_rating(r, text);
	else
		take_text(r, text);
}

/* --- names --- */

static int compare_name(size_t i, const void *arg)
{
	const void *const *a = arg;
	const struct xmltv_reader *r = a[0];

	return strcmp(r->names[i], a[1]);
}

/* Counts a name that is new.  Expat keeps all names in memory, so their number
 * is limited. */
static void count_name(struct xmltv_reader *r, const char *name)
{
	const void *const arg[] = { r, name };
	bool found;
	size_t at = sorted_place(r->n_names, compare_name, arg, &found);

	if (found)
		return;
	if (strlen(name) > XMLTV_NAME_MAX) {
		refuse(r, "a name is longer than %d bytes", XMLTV_NAME_MAX);
	} else if (r->n_names == XMLTV_NAMES_MAX) {
		refuse(r, "has more than %d names of elements and attributes",
		       XMLTV_NAMES_MAX);
	} else {
		memmove(r->names + at + 1, r->names + at,
			(r->n_names - at) * sizeof r->names[0]);
		r->names[at] = xstrdup(name);
		r->n_names++;
	}
}

static void count_names(struct xmltv_reader *r, const char *element,
			const char **attributes)
{
	count_name(r, element);
	for (size_t i = 0; attributes[i] != NULL && !is_refused(r); i += 2)
		count_name(r, attributes[i]);
}

/* --- events of expat --- */

static void on_begin(void *arg, const char *name, const char **attributes)
{
	struct xmltv_reader *r = arg;

	r->depth++;
	count_names(r, name, attributes);
	if (is_refused(r))
		return;
	if (r->depth > XMLTV_DEPTH_MAX) {
		refuse(r, "elements are nested more than %d deep",
		       XMLTV_DEPTH_MAX);
	} else if (r->depth == ROOT && strcmp(name, "tv") != 0) {
		refuse(r, "the document is \"%.32s\", not \"tv\"", name);
	} else if (r->depth == PROGRAMME && strcmp(name, "channel") == 0) {
		if (++r->channels > XMLTV_CHANNELS_MAX)
			refuse(r, "has more than %d channels",
			       XMLTV_CHANNELS_MAX);
	} else if (r->depth == PROGRAMME && strcmp(name, "programme") == 0) {
		if (++r->programmes > XMLTV_PROGRAMMES_MAX)
			refuse(r, "has more than %d programmes",
			       XMLTV_PROGRAMMES_MAX);
		else
			begin_programme(r, attributes);
	} else if (r->wanted && r->depth == CHILD) {
		begin_child(r, name, attributes);
	} else if (r->wanted && r->depth == VALUE && r->element == RATING &&
		   strcmp(name, "value") == 0) {
		r->reads = true;
		r->len = 0;
	}
}

static void on_end(void *arg, const char *name)
{
	struct xmltv_reader *r = arg;
	unsigned depth = r->depth--;

	(void)name;
	if (r->reads && depth == (r->element == RATING ? VALUE : CHILD))
		end_text(r);
	if (depth == PROGRAMME)
		end_programme(r);
}

/* A text that is too long is cut between two characters. */
static void on_text(void *arg, const char *text, int len)
{
	struct xmltv_reader *r = arg;
	size_t n = (size_t)len, room = sizeof r->text - 1 - r->len;

	if (!r->reads)
		return;
	if (n > room) {
		for (n = room; n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80;)
			n--;
		r->facts.cut++;
	}
	memcpy(r->text + r->len, text, n);
	r->len += n;
	/* the text ends here, because later parts would no longer follow this
	 * one */
	if (n < (size_t)len)
		end_text(r);
}

/* Rejects declarations: entities can multiply the size of the document, and
 * default attributes the work for each element. */
static void on_doctype(void *arg, const char *name, const char *system,
		       const char *public, int has_declarations)
{
	(void)name, (void)system, (void)public;
	if (has_declarations)
		refuse(arg, "DOCTYPE has declarations: they are refused");
}

static void on_skipped(void *arg, const char *name, int is_parameter)
{
	(void)is_parameter;
	refuse(arg, "the entity \"%.32s\" is not defined", name);
}

/* --- the reader --- */

struct xmltv_reader *xmltv_reader_new(const struct xmltv_reader_events *events,
				      void *arg)
{
	static const XML_Memory_Handling_Suite memory = { xmalloc, xrealloc,
							  free };
	struct xmltv_reader *r = xcalloc(1, sizeof *r);

	r->events = events;
	r->arg = arg;
	r->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, on_begin, on_end);
	XML_SetCharacterDataHandler(r->parser, on_text);
	XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
	XML_SetSkippedEntityHandler(r->parser, on_skipped);
	return r;
}

void xmltv_reader_free(struct xmltv_reader **rp)
{
	struct xmltv_reader *r = *rp;

	*rp = NULL;
	if (r == NULL)
		return;
	XML_ParserFree(r->parser);
	while (r->n_names > 0)
		free(r->names[--r->n_names]);
	free(r);
}

int xmltv_reader_feed(struct xmltv_reader *r, const void *bytes, size_t len,
		      bool last, struct errmsg *error)
{
	enum XML_Status status = XML_Parse(r->parser, bytes, (int)len, last);
	XML_Index at = XML_GetCurrentByteIndex(r->parser);

	r->fed += len;
	if (is_refused(r))
		return errmsg_fail(error, -EINVAL, "%s", r->error.text);
	if (status != XML_STATUS_OK)
		return errmsg_fail(error, -EINVAL, "line %lu: %s", line_of(r),
				   XML_ErrorString(
					   XML_GetErrorCode(r->parser)));
	if (!last && r->fed - (uint64_t)MAX(at, (XML_Index)0) > XMLTV_TOKEN_MAX)
		return errmsg_fail(error, -EINVAL, "line %lu: a tag is longer "
				   "than %d bytes", line_of(r),
				   XMLTV_TOKEN_MAX);
	return 0;
}

uint64_t xmltv_reader_refused(const struct xmltv_reader *r)
{
	return r->refused;
}

const char *xmltv_reader_first_refusal(const struct xmltv_reader *r)
{
	return r->refusal.text;
}
