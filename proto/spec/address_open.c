/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/address_open.h"

#include "common/base/address.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_BYTES \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+."
#define ID_BYTES \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
/* Characters of hosts, ports and interfaces, with [] for IPv6 addresses. */
#define PLACE_BYTES ID_BYTES ":[]%*"

static void put(struct buf *out, const char *text, size_t len)
{
	buf_append(out, text, len);
}

static void put_text(struct buf *out, const char *text)
{
	put(out, text, strlen(text));
}

static char *take_text(struct buf *out)
{
	char *text;

	put(out, "", 1);
	text = xstrdup((const char *)buf_head(out));
	buf_done(out);
	return text;
}

static bool consists_of(const char *text, size_t len, const char *bytes)
{
	return strspn(text, bytes) >= len;
}

/* --- targets --- */

/* Shows host and port of a server, [login@]host[:port][/path]. */
static void put_server(struct buf *out, const char *target)
{
	const char *end = target + strcspn(target, "/?#");
	const char *at = memrchr(target, '@', (size_t)(end - target));
	const char *host = at != NULL ? at + 1 : target;
	size_t len = (size_t)(end - host);

	if (at != NULL)
		put_text(out, ADDRESS_HIDDEN "@");
	if (consists_of(host, len, PLACE_BYTES))
		put(out, host, len);
	else
		put_text(out, ADDRESS_HIDDEN);
	if (*end == '/')
		put(out, "/", 1);
	if (*end != '\0' && strcmp(end, "/") != 0)
		put_text(out, ADDRESS_HIDDEN);
}

/* Shows [iface@]host:port, or a list of them with commas.  peers: the target is
 * that of rist://, where '@' may only begin a peer; another '@' could follow a
 * login, so the target is hidden. */
static void put_places(struct buf *out, const char *target, bool peers)
{
	size_t len = strcspn(target, "?");
	bool login = false;

	for (size_t i = 1; i < len && peers; i++)
		login |= target[i] == '@' && target[i - 1] != ',';
	if (!login && consists_of(target, len, PLACE_BYTES "@,"))
		put(out, target, len);
	else
		put_text(out, ADDRESS_HIDDEN);
}

static void put_target(struct buf *out, const struct io_type *type,
		       const char *target)
{
	if (type == &input_http_type || type == &input_https_type ||
	    type == &output_np_type)
		put_server(out, target);
	else if (type == &input_file_type || type == &output_file_type ||
		 type == &input_sdp_type || type == &input_stream_type ||
		 type == &input_dvb_type ||
		 type == &output_http_type || type == &output_https_type)
		put_text(out, target);
	else
		put_places(out, target, type == &input_rist_type ||
						type == &output_rist_type);
}

/* --- options --- */

struct options {
	struct buf *out;
	const struct field_table *tables[3];
	size_t n;
	char joint; /* '#' or '&', which precedes the next option */
	bool hidden; /* an option was omitted: ADDRESS_HIDDEN ends the list */
};

static void put_name(struct options *o, const char *key, bool value)
{
	put(o->out, &o->joint, 1);
	put_text(o->out, key);
	if (value)
		put(o->out, "=", 1);
	o->joint = '&';
}

/* Writes the address in an option without its secrets, and escapes its '#', '&'
 * and '%' again. */
static void put_inner(struct buf *out, const char *value)
{
	char *text = xstrdup(value), *shown;

	if (!option_percent_decode(text)) {
		put_text(out, ADDRESS_HIDDEN);
		free(text);
		return;
	}
	shown = address_open(text, ADDRESS_INPUT);
	for (const char *c = shown; *c != '\0'; c++)
		if (*c == '#')
			put_text(out, "%23");
		else if (*c == '&')
			put_text(out, "%26");
		else if (*c == '%')
			put_text(out, "%25");
		else
			put(out, c, 1);
	free(shown);
	free(text);
}

static void put_option(struct options *o, const char *key, const char *value)
{
	const struct field *f = NULL;

	for (size_t i = 0; i < o->n && f == NULL; i++)
		f = field_find(o->tables[i], key);
	if (f == NULL) {
		o->hidden = true;
	} else if (!(f->flags & FIELD_OBSERVER)) {
		/* of an option such as "header.NAME" only "header." is shown */
		put_name(o, f->key, value != NULL && !(f->flags & FIELD_GROUP));
		if (value != NULL || f->flags & FIELD_GROUP)
			put_text(o->out, ADDRESS_HIDDEN);
	} else {
		put_name(o, key, value != NULL);
		if (value != NULL && f->flags & FIELD_ADDRESS)
			put_inner(o->out, value);
		else if (value != NULL)
			put_text(o->out, value);
	}
}

/* True if a later option has the same key.  The later one counts, so the value
 * of option i was not judged and must stay hidden. */
static bool is_repeated(const struct address *a, size_t i)
{
	for (size_t k = i + 1; k < a->n_options; k++)
		if (strcmp(a->options[k].key, a->options[i].key) == 0)
			return true;
	return false;
}

/* --- addresses --- */

static bool is_input(const char *address)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	bool ok = input_spec_parse(address, spec, NULL, NULL, NULL) == 0;

	free(spec);
	return ok;
}

static bool is_output(const char *address)
{
	struct output_spec *spec = xcalloc(1, sizeof *spec);
	bool ok = output_spec_parse(address, spec, NULL, NULL, NULL) == 0;

	free(spec);
	return ok;
}

/* Writes an address that the parser has accepted, so its options have valid
 * values. */
static void put_valid(struct buf *out, const struct address *a,
		      const struct io_type *type, bool input)
{
	struct options o = { .out = out, .tables = { type->options }, .n = 1 };

	if (input) {
		o.tables[o.n++] = &io_input_fields;
		o.tables[o.n++] = &remux_fields;
	}
	put_text(out, type->name);
	put_text(out, "://");
	put_target(out, type, a->target);
	if (type->query && strchr(a->target, '?') != NULL)
		put_text(out, "?" ADDRESS_HIDDEN);

	o.joint = '#';
	for (size_t i = 0; i < a->n_options; i++)
		if (is_repeated(a, i))
			o.hidden = true;
		else
			put_option(&o, a->options[i].key, a->options[i].value);
	if (o.hidden) {
		put(out, &o.joint, 1);
		put_text(out, ADDRESS_HIDDEN);
	}
}

/* Writes an address that this version cannot read: only its type.  The id of an
 * adapter is shown, even if its options are wrong. */
static void put_rest(struct buf *out, const struct address *a)
{
	if (strcmp(a->type, "dvb") == 0 &&
	    consists_of(a->target, strlen(a->target), ID_BYTES)) {
		put_text(out, "dvb://");
		put_text(out, a->target);
		if (a->n_options > 0)
			put_text(out, "#" ADDRESS_HIDDEN);
		return;
	}
	if (io_type_find(io_input_types, a->type) != NULL ||
	    io_type_find(io_output_types, a->type) != NULL) {
		put_text(out, a->type);
		put_text(out, "://");
	}
	put_text(out, ADDRESS_HIDDEN);
}

char *address_open(const char *text, enum address_use use)
{
	bool input = use != ADDRESS_OUTPUT && is_input(text);
	bool output = !input && use != ADDRESS_INPUT && is_output(text);
	const struct io_type *type = NULL;
	struct buf out = { 0 };
	struct address a;

	if (address_parse(text, &a, NULL) < 0)
		return xstrdup(ADDRESS_HIDDEN);
	if (input || output)
		type = io_type_find(input ? io_input_types : io_output_types,
				 a.type);
	if (type != NULL)
		put_valid(&out, &a, type, input);
	else
		put_rest(&out, &a);
	address_done(&a);
	return take_text(&out);
}

char *address_open_host(const char *text)
{
	struct buf out = { 0 };

	put_server(&out, text);
	return take_text(&out);
}

/* --- sentences --- */

/* The characters that end an address in a sentence. */
#define BLANKS " \t\n\"'<>"

/* Copies text up to `end', and replaces each address in it by what
 * address_open() lets an observer see of it.  Returns end. */
static const char *put_words(struct buf *out, const char *text,
			     const char *end)
{
	const char *mark, *begin, *stop;
	char *word, *shown;

	while ((mark = strstr(text, "://")) != NULL && mark < end) {
		begin = mark;
		stop = mark + strcspn(mark, BLANKS);
		while (begin > text && strchr(TYPE_BYTES, begin[-1]) != NULL)
			begin--;
		put(out, text, (size_t)(begin - text));
		word = xasprintf("%.*s", (int)(stop - begin), begin);
		shown = address_open(word, ADDRESS_ANY);
		put_text(out, shown);
		free(shown);
		free(word);
		text = MIN(stop, end);
	}
	put(out, text, (size_t)(end - text));
	return end;
}

/* Is `at' a quote around a value: "text", or 'text' as JSON parsers write it?
 * An apostrophe inside a word is no quote. */
static bool is_quote(const char *text, const char *at, bool opening)
{
	unsigned char before = at > text ? (unsigned char)at[-1] : ' ';
	unsigned char behind = (unsigned char)at[1];

	return *at == '"' ||
	       (*at == '\'' && !isalnum(opening ? before : behind));
}

char *address_open_sentence(const char *text)
{
	const char *end = text + strlen(text), *first = text, *last = end;
	struct buf out = { 0 };

	while (first < end && !is_quote(text, first, true))
		first++;
	while (last > first && !(last < end && is_quote(text, last, false)))
		last--;
	text = put_words(&out, text, first);
	if (first < end) {
		put_text(&out, "\"" ADDRESS_HIDDEN "\"");
		/* a sentence that was cut has no second quote */
		text = last > first ? last + 1 : end;
	}
	(void)put_words(&out, text, end);
	return take_text(&out);
}
