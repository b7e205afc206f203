/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/server_description.h"

#include "common/base/alloc.h"
#include "worker/scan/ssdp_message.h"

#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <stdbool.h>
#include <string.h>

enum {
	ROOT = 1, DEVICE, CHILD, /* depths of elements */
	/* bytes of text of an element; a longer text is cut */
	TEXT_MAX = 512,
};

/* The elements of a device that are read. */
enum element { TYPE, NAME, MANUFACTURER, MODEL, CAPABILITIES, CHANNELS,
	       ELEMENTS };

static const char *const names[ELEMENTS] = {
	[TYPE] = "deviceType", [NAME] = "friendlyName",
	[MANUFACTURER] = "manufacturer", [MODEL] = "modelName",
	[CAPABILITIES] = "X_SATIPCAP", [CHANNELS] = "X_SATIPM3U",
};

struct reader {
	XML_Parser parser;
	unsigned depth;
	bool in_device, has_device;
	enum element element; /* element whose text is read; ELEMENTS: none */
	char texts[ELEMENTS][TEXT_MAX];
	size_t len;           /* bytes of the text so far */
	struct errmsg error;  /* error of the reader; "": see the error of
			       * expat */
};

static unsigned long line_of(const struct reader *r)
{
	return XML_GetCurrentLineNumber(r->parser);
}

static void on_begin(void *arg, const char *name, const char **attributes)
{
	const char *colon = strrchr(name, ':');
	struct reader *r = arg;

	(void)attributes;
	/* the namespace prefix of a name differs between servers */
	if (colon != NULL)
		name = colon + 1;
	if (++r->depth == DEVICE)
		r->in_device = !r->has_device && strcmp(name, "device") == 0;
	r->has_device |= r->in_device;
	r->element = ELEMENTS;
	if (r->depth != CHILD || !r->in_device)
		return;
	/* of several elements with one name, the first with a text counts */
	for (size_t i = 0; i < ELEMENTS; i++)
		if (strcmp(names[i], name) == 0 && r->texts[i][0] == '\0')
			r->element = (enum element)i;
	r->len = 0;
}

static void on_end(void *arg, const char *name)
{
	struct reader *r = arg;
	size_t len, begin = 0;
	char *text;

	(void)name;
	if (r->element < ELEMENTS) {
		text = r->texts[r->element];
		len = strlen(text);
		while (len > 0 && isspace((unsigned char)text[len - 1]))
			len--;
		while (begin < len && isspace((unsigned char)text[begin]))
			begin++;
		memmove(text, text + begin, len - begin);
		text[len - begin] = '\0';
	}
	r->element = ELEMENTS;
	if (r->depth-- == DEVICE)
		r->in_device = false;
}

static void on_text(void *arg, const char *text, int len)
{
	struct reader *r = arg;
	size_t n = MIN((size_t)len, TEXT_MAX - 1 - r->len);
	char *to;

	if (r->element == ELEMENTS)
		return;
	to = r->texts[r->element];
	memcpy(to + r->len, text, n);
	r->len += n;
	to[r->len] = '\0';
}

/* Rejects a DOCTYPE with declarations: entities can expand to very long texts,
 * and default attributes cost time in each element. */
static void on_doctype(void *arg, const char *name, const char *system,
		       const char *public, int has_declarations)
{
	struct reader *r = arg;

	(void)name, (void)system, (void)public;
	if (!has_declarations)
		return;
	errmsg_set(&r->error, "line %lu: DOCTYPE has declarations: they are "
		   "refused", line_of(r));
	(void)XML_StopParser(r->parser, XML_FALSE);
}

static int parse(struct reader *r, const void *data, size_t len,
		 struct errmsg *error)
{
	enum XML_Status status = XML_Parse(r->parser, data, (int)len, 1);

	if (r->error.text[0] != '\0')
		return errmsg_fail(error, -EINVAL, "%s", r->error.text);
	if (status != XML_STATUS_OK)
		return errmsg_fail(error, -EINVAL, "line %lu: %s", line_of(r),
				   XML_ErrorString(
					   XML_GetErrorCode(r->parser)));
	if (strncmp(r->texts[TYPE], SSDP_SATIP_SERVER,
		    strlen(SSDP_SATIP_SERVER)) != 0)
		return errmsg_fail(error, -EINVAL, "deviceType: \"%.64s\" is "
				   "no SAT>IP server", r->texts[TYPE]);
	return 0;
}

int server_description_parse(const void *data, size_t len, const char *host,
			     uint16_t port, struct server_facts *ret,
			     struct errmsg *error)
{
	static const XML_Memory_Handling_Suite memory = { xmalloc, xrealloc,
							  free };
	struct reader r = { .element = ELEMENTS };
	struct server_facts f = { 0 };
	int err;

	if (len > SERVER_DESCRIPTION_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   SERVER_DESCRIPTION_MAX);
	r.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_begin, on_end);
	XML_SetCharacterDataHandler(r.parser, on_text);
	XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
	err = parse(&r, data, len, error);
	XML_ParserFree(r.parser);
	if (err < 0)
		return err;
	server_text_copy(r.texts[NAME], f.name);
	server_text_copy(r.texts[MANUFACTURER], f.manufacturer);
	server_text_copy(r.texts[MODEL], f.model);
	server_facts_capabilities(&f, r.texts[CAPABILITIES]);
	server_facts_channels(&f, r.texts[CHANNELS], host, port);
	*ret = f;
	return 0;
}
