/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_guard.h"

#include "common/base/hex.h"
#include "proto/wire/http_request.h"

#include <string.h>
#include <strings.h>

/* Is it a character of a token (RFC 9110 5.6.2)? */
static bool is_token(uint8_t c)
{
	if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z'))
		return true;
	return c != 0 && strchr("!#$%&'*+-.^_`|~", c);
}

/* Is it a byte of a field value (RFC 9110 5.5): VCHAR, SP, HTAB or obs-text? */
static bool is_field_byte(uint8_t c)
{
	return (c >= 0x20 && c != 0x7f) || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static enum http_guard_state refuse(struct http_guard *g, int status,
				    const char *reason)
{
	g->status = status;
	g->reason = reason;
	return GUARD_REFUSED;
}

void http_guard_head(struct http_guard *g, size_t max)
{
	*g = (struct http_guard){ .state = GUARD_LEAD, .left = max };
}

void http_guard_chunks(struct http_guard *g, size_t max)
{
	*g = (struct http_guard){
		.state = GUARD_SIZE,
		.left = HTTP_TRAILER_MAX,
		.extension = HTTP_EXTENSION_MAX,
		.body_left = max,
	};
}

static enum http_guard_state expect(struct http_guard *g, uint8_t c,
				    uint8_t wanted, enum http_guard_state next)
{
	if (c == wanted)
		return next;
	return refuse(g, 400, "a line does not end with CR LF");
}

static enum http_guard_state request_line(struct http_guard *g, uint8_t c)
{
	switch (g->state) {
	case GUARD_LEAD: /* RFC 9112 2.2: leading empty lines are ignored */
		if (c == '\r')
			return GUARD_LEAD_LF;
		return is_token(c) ? GUARD_METHOD
				   : refuse(g, 400, "bad method");
	case GUARD_LEAD_LF:
		return expect(g, c, '\n', GUARD_LEAD);
	case GUARD_METHOD:
		if (c == ' ')
			return GUARD_TARGET;
		return is_token(c) ? GUARD_METHOD
				   : refuse(g, 400, "bad method");
	case GUARD_TARGET:
		if (c == ' ' && g->target > 0)
			return GUARD_VERSION;
		if (c <= ' ' || c == 0x7f)
			return refuse(g, 400, "bad target");
		if (++g->target > HTTP_TARGET_MAX)
			return refuse(g, 414, "target too long");
		return GUARD_TARGET;
	default: /* GUARD_VERSION */
		if (c == '\r')
			return GUARD_LINE_LF;
		return c > ' ' && c < 0x7f ? GUARD_VERSION
					   : refuse(g, 400, "bad version");
	}
}

static enum http_guard_state field_line(struct http_guard *g, uint8_t c)
{
	switch (g->state) {
	case GUARD_LINE_LF:
		return expect(g, c, '\n', GUARD_LINE);
	case GUARD_LINE: /* a folded line starts with a blank and is rejected */
		if (c == '\r')
			return GUARD_LAST_LF;
		return is_token(c) ? GUARD_NAME
				   : refuse(g, 400, "bad field name");
	case GUARD_NAME:
		if (c == ':')
			return GUARD_VALUE;
		return is_token(c) ? GUARD_NAME
				   : refuse(g, 400, "bad field name");
	case GUARD_VALUE:
		if (c == '\r')
			return GUARD_LINE_LF;
		return is_field_byte(c) ? GUARD_VALUE
					: refuse(g, 400, "bad field value");
	default: /* GUARD_LAST_LF */
		return expect(g, c, '\n', GUARD_DONE);
	}
}

static enum http_guard_state chunk_size(struct http_guard *g, uint8_t c)
{
	int digit = hex_digit((char)c);

	if (digit >= 0) {
		/* 16 digits cannot overflow 64 bits */
		if (++g->digits > 16)
			return refuse(g, 400, "chunk size too long");
		g->chunk = g->chunk << 4 | (unsigned)digit;
		return GUARD_SIZE;
	}
	if (g->digits == 0)
		return refuse(g, 400, "bad chunk size");
	if (c == ';')
		return GUARD_EXTENSION;
	if (c == '\r')
		return GUARD_SIZE_LF;
	return refuse(g, 400, "bad chunk size");
}

static enum http_guard_state chunk_begin(struct http_guard *g)
{
	g->digits = 0;
	if (g->chunk == 0)
		return GUARD_LINE;
	if (g->chunk > g->body_left)
		return refuse(g, 413, "body too large");
	g->body_left -= (size_t)g->chunk;
	return GUARD_DATA;
}

static enum http_guard_state chunk(struct http_guard *g, uint8_t c)
{
	switch (g->state) {
	case GUARD_SIZE:
		return chunk_size(g, c);
	case GUARD_EXTENSION:
		if (c == '\r')
			return GUARD_SIZE_LF;
		if (!is_field_byte(c) || g->extension-- == 0)
			return refuse(g, 400, "bad chunk extension");
		return GUARD_EXTENSION;
	case GUARD_SIZE_LF:
		return c == '\n' ? chunk_begin(g)
				 : refuse(g, 400, "bad chunk header");
	case GUARD_DATA_CR:
		return expect(g, c, '\r', GUARD_DATA_LF);
	default: /* GUARD_DATA_LF */
		return expect(g, c, '\n', GUARD_SIZE);
	}
}

/* Checks a byte of the head or of the trailers against the common limit. */
static enum http_guard_state bounded(struct http_guard *g, uint8_t c)
{
	if (g->left == 0)
		return g->state <= GUARD_TARGET
			? refuse(g, 414, "request line too long")
			: refuse(g, 431, "header fields too large");
	g->left--;
	return g->state <= GUARD_VERSION ? request_line(g, c)
					 : field_line(g, c);
}

size_t http_guard_feed(struct http_guard *g, const uint8_t *data, size_t len)
{
	size_t i = 0;

	while (i < len && g->state != GUARD_DONE) {
		if (g->state == GUARD_DATA) {
			size_t n = (size_t)MIN(g->chunk, len - i);

			i += n;
			g->chunk -= n;
			if (g->chunk == 0)
				g->state = GUARD_DATA_CR;
			continue;
		}
		if (g->state < GUARD_SIZE)
			g->state = bounded(g, data[i]);
		else if (g->state < GUARD_DONE)
			g->state = chunk(g, data[i]);
		if (g->state == GUARD_REFUSED)
			break;
		i++;
	}
	return i;
}

/* A field line of the head: points to its name and its value, without blanks
 * around the value. */
struct field {
	const char *name;
	size_t name_len;
	const char *value;
	size_t value_len;
};

static bool is_named(const struct field *f, const char *name)
{
	return strlen(name) == f->name_len &&
	       strncasecmp(f->name, name, f->name_len) == 0;
}

static struct field field_split(const char *line, const char *end)
{
	const char *colon = memchr(line, ':', (size_t)(end - line));
	const char *value = colon + 1;

	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct field){
		.name = line,
		.name_len = (size_t)(colon - line),
		.value = value,
		.value_len = (size_t)(end - value),
	};
}

static bool all_of(const struct field *f, bool (*is)(char c))
{
	for (size_t i = 0; i < f->value_len; i++)
		if (!is(f->value[i]))
			return false;
	return true;
}

/* Is it a character of a host and port (RFC 3986 3.2.2 and 3.2.3), without user
 * information? */
static bool is_authority(char c)
{
	return is_token((uint8_t)c) ? !strchr("#^`|", c)
				    : c != 0 && strchr("(),;=:[]", c);
}

static bool is_coding(char c)
{
	return is_token((uint8_t)c) || (c != 0 && strchr(" \t,;=\"", c));
}

/* Is it a second field with the same name, of those that decide about access?
 * A proxy could use the first one and the service the second one.  seen: a bit
 * for each name that occurred. */
static bool is_repeated(const struct field *f, unsigned *seen)
{
	static const char *const once[] = {
		"authorization", "cookie", "origin", "sec-fetch-site",
		"x-real-ip",
	};

	for (size_t i = 0; i < ARRAY_LEN(once); i++) {
		unsigned bit = 1u << i;
		bool repeated = *seen & bit;

		if (!is_named(f, once[i]))
			continue;
		*seen |= bit;
		return repeated;
	}
	return false;
}

static bool judge_field(struct http_guard *g, const struct field *f,
			unsigned *hosts)
{
	g->fields++;
	if (g->fields > HTTP_HEADERS_MAX) {
		refuse(g, 431, "too many header fields");
	} else if (is_named(f, "host")) {
		if (++*hosts > 1 || !all_of(f, is_authority))
			refuse(g, 400, "bad Host");
	} else if (is_named(f, "content-length")) {
		if (g->has_length || f->value_len == 0 ||
		    !all_of(f, is_digit))
			refuse(g, 400, "bad Content-Length");
		g->has_length = true;
	} else if (is_named(f, "transfer-encoding")) {
		if (g->chunked || f->value_len == 0 || !all_of(f, is_coding))
			refuse(g, 400, "bad Transfer-Encoding");
		else if (f->value_len != 7 ||
		         strncasecmp(f->value, "chunked", 7) != 0)
			refuse(g, 501, "unknown Transfer-Encoding");
		else if (g->minor == 0)
			refuse(g, 400, "Transfer-Encoding in HTTP/1.0");
		g->chunked = true;
		return !g->status;
	}
	return !g->status;
}

static bool judge_version(struct http_guard *g, const char *version,
			  size_t len)
{
	if (len != 8 || memcmp(version, "HTTP/", 5) != 0 ||
	    !is_digit(version[5]) || version[6] != '.' ||
	    !is_digit(version[7])) {
		refuse(g, 400, "bad version");
		return false;
	}
	if (version[5] != '1' || version[7] > '1') {
		refuse(g, 505, "not HTTP/1.0 or HTTP/1.1");
		return false;
	}
	g->minor = (unsigned)(version[7] - '0');
	return true;
}

bool http_guard_judge(struct http_guard *g, const char *head, size_t len)
{
	const char *end = head + len - 2; /* the empty line ends the head */
	unsigned hosts = 0, seen = 0;
	const char *eol, *version;

	while (*head == '\r')
		head += 2;
	eol = memchr(head, '\r', (size_t)(end - head));
	version = (const char *)memrchr(head, ' ', (size_t)(eol - head)) + 1;
	if (!judge_version(g, version, (size_t)(eol - version)))
		return false;
	for (const char *line = eol + 2; line < end; line = eol + 2) {
		struct field f;

		eol = memchr(line, '\r', (size_t)(end - line));
		f = field_split(line, eol);
		if (!judge_field(g, &f, &hosts))
			return false;
		if (is_repeated(&f, &seen)) {
			refuse(g, 400, "a header field occurs twice");
			return false;
		}
	}
	if (g->minor >= 1 && hosts != 1)
		refuse(g, 400, "no Host");
	else if (g->chunked && g->has_length)
		refuse(g, 400, "Content-Length beside Transfer-Encoding");
	return !g->status;
}
