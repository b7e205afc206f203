/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/xmltv_write.h"

#include "common/base/utf8.h"
#include "worker/epg/xmltv_words.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

/* Is this a character of XML 1.0, and not a control character? */
static bool is_text(uint32_t c)
{
	return c == '\n' || (c >= 0x20 && c < 0x7f) ||
	       (c >= 0xa0 && c < 0xfffe) || c >= 0x10000;
}

static void put_text(struct buf *to, const char *text)
{
	size_t left = strlen(text), n;
	uint32_t c;

	for (; left > 0; text += n, left -= n) {
		n = utf8_get(text, left, &c);
		if (n == 1 && (uint8_t)*text >= 0x80)
			continue; /* the byte is not UTF-8 */
		if (strchr("&<>\"", (int)c) != NULL && c != 0 && c < 0x80)
			buf_printf(to, "&#%u;", (unsigned)c);
		else if (c == '\t')
			buf_append(to, " ", 1);
		else if (is_text(c))
			buf_append(to, text, n);
	}
}

static void put_attribute(struct buf *to, const char *name, const char *value)
{
	buf_printf(to, " %s=\"", name);
	put_text(to, value);
	buf_append(to, "\"", 1);
}

/* Writes an element, or nothing if the text is "".  lang "": the language is
 * not known. */
static void put_element(struct buf *to, const char *name, const char *lang,
			const char *text)
{
	if (text[0] == '\0')
		return;
	buf_printf(to, "    <%s", name);
	if (lang[0] != '\0')
		put_attribute(to, "lang", lang);
	buf_append(to, ">", 1);
	put_text(to, text);
	buf_printf(to, "</%s>\n", name);
}

void xmltv_begin(struct buf *to)
{
	buf_printf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n"
		   "<tv generator-info-name=\"sluice\">\n");
}

void xmltv_channel(struct buf *to, const struct xmltv_channel *c)
{
	buf_printf(to, "  <channel");
	put_attribute(to, "id", c->id);
	buf_printf(to, ">\n");
	put_element(to, "display-name", "", c->name[0] != '\0' ? c->name
							       : c->id);
	put_element(to, "display-name", "", c->number);
	if (c->icon[0] != '\0') {
		buf_printf(to, "    <icon");
		put_attribute(to, "src", c->icon);
		buf_printf(to, "/>\n");
	}
	buf_printf(to, "  </channel>\n");
}

/* The strings of a language in guide_event.texts. */
enum text { LANG, TITLE, SUMMARY, DETAILS, TEXTS };

/* Finds the strings of the language that begin at *at, and moves *at to the
 * next language. */
static void take_texts(const char **at, const char *ret[TEXTS])
{
	for (size_t i = 0; i < TEXTS; i++) {
		ret[i] = *at;
		*at += strlen(*at) + 1;
	}
}

static void put_texts(struct buf *to, const char *name,
		      const struct guide_event *e, enum text which)
{
	const char *at = e->texts, *texts[TEXTS];

	for (size_t i = 0; i < e->n_texts; i++) {
		take_texts(&at, texts);
		put_element(to, name, xmltv_lang(texts[LANG]), texts[which]);
	}
}

static bool has_title(const struct guide_event *e)
{
	const char *at = e->texts, *texts[TEXTS];

	for (size_t i = 0; i < e->n_texts; i++) {
		take_texts(&at, texts);
		if (texts[TITLE][0] != '\0')
			return true;
	}
	return false;
}

static void put_categories(struct buf *to, const struct guide_event *e)
{
	for (size_t i = 0; i < e->n_contents; i++) {
		const char *genre = xmltv_genre(e->contents[i]);
		const char *detail = xmltv_detail(e->contents[i]);
		bool known = false; /* an earlier content has the same genre */

		for (size_t k = 0; k < i; k++)
			known |= e->contents[k] >> 4 == e->contents[i] >> 4;
		if (genre != NULL && !known)
			put_element(to, "category", "en", genre);
		if (detail != NULL)
			put_element(to, "category", "en", detail);
	}
}

static void put_time(struct buf *to, const char *name, int64_t time_s)
{
	time_t t = (time_t)time_s;
	struct tm tm;
	char text[40] = "";

	if (gmtime_r(&t, &tm) != NULL)
		(void)strftime(text, sizeof text, "%Y%m%d%H%M%S +0000", &tm);
	put_attribute(to, name, text);
}

void xmltv_programme(struct buf *to, const char *channel,
		     const struct guide_event *e)
{
	if (!has_title(e))
		return;
	buf_printf(to, "  <programme");
	put_time(to, "start", e->start_s);
	put_time(to, "stop", guide_event_end(e));
	put_attribute(to, "channel", channel);
	buf_printf(to, ">\n");
	put_texts(to, "title", e, TITLE);
	put_texts(to, "sub-title", e, SUMMARY);
	put_texts(to, "desc", e, DETAILS);
	put_categories(to, e);
	if (e->age > 0)
		buf_printf(to, "    <rating system=\"DVB\">"
			   "<value>%u</value></rating>\n", e->age);
	buf_printf(to, "  </programme>\n");
}

void xmltv_end(struct buf *to)
{
	buf_printf(to, "</tv>\n");
}
