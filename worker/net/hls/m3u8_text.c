/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/m3u8_parser.h"

#include <errno.h>
#include <string.h>

enum {
	NUMBER_DIGITS = 18, /* most digits of a number, which fit 64 bits */
	ATTRIBUTES_MAX = 64,
};

bool m3u8_is(struct m3u8_text t, const char *text)
{
	return t.len == strlen(text) && memcmp(t.data, text, t.len) == 0;
}

bool m3u8_is_same(struct m3u8_text a, struct m3u8_text b)
{
	return a.len == b.len && a.len > 0 &&
	       memcmp(a.data, b.data, a.len) == 0;
}

struct m3u8_text m3u8_trim(struct m3u8_text t)
{
	while (t.len > 0 && (t.data[0] == ' ' || t.data[0] == '\t')) {
		t.data++;
		t.len--;
	}
	while (t.len > 0 && strchr(" \t\r", t.data[t.len - 1]) != NULL)
		t.len--;
	return t;
}

struct m3u8_text m3u8_cut(struct m3u8_text *rest, char mark)
{
	const char *end = memchr(rest->data, mark, rest->len);
	struct m3u8_text part = *rest;

	if (end == NULL) {
		rest->data += rest->len;
		rest->len = 0;
		return part;
	}
	part.len = (size_t)(end - rest->data);
	rest->data = end + 1;
	rest->len -= part.len + 1;
	return part;
}

int m3u8_number(struct m3u8_parser *p, struct m3u8_text t, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t.len; i++) {
		if (t.data[i] < '0' || t.data[i] > '9' || i >= NUMBER_DIGITS)
			return FAIL(p, -EINVAL, "\"%.*s\" is not a number",
				    SHOWN(t));
		n = n * 10 + (uint64_t)(t.data[i] - '0');
	}
	if (t.len == 0)
		return FAIL(p, -EINVAL, "a number is missing");
	*ret = n;
	return 0;
}

int m3u8_duration(struct m3u8_parser *p, struct m3u8_text t, uint32_t *ret)
{
	struct m3u8_text fraction = t;
	struct m3u8_text whole = m3u8_cut(&fraction, '.');
	uint64_t s, ms = 0;
	int r = m3u8_number(p, whole, &s);

	if (r < 0)
		return r;
	for (size_t i = 0, scale = 100; i < fraction.len; i++, scale /= 10) {
		if (fraction.data[i] < '0' || fraction.data[i] > '9')
			return FAIL(p, -EINVAL, "\"%.*s\" is not a duration",
				    SHOWN(t));
		ms += (uint64_t)(fraction.data[i] - '0') * scale;
	}
	if (s > M3U8_DURATION_MAX_MS / 1000)
		return FAIL(p, -EINVAL, "\"%.*s\" is longer than an hour",
			    SHOWN(t));
	*ret = (uint32_t)(s * 1000 + ms);
	return 0;
}

/* --- attributes: NAME=value,NAME="value" (4.2) --- */

/* Reads the next attribute, and removes it from *rest.  1; 0: *rest is empty;
 * -EINVAL: malformed. */
static int next_attribute(struct m3u8_parser *p, struct m3u8_text *rest,
			  struct m3u8_text *ret_name,
			  struct m3u8_text *ret_value)
{
	if (rest->len == 0)
		return 0;
	if (memchr(rest->data, '=', rest->len) == NULL)
		return FAIL(p, -EINVAL, "\"%.*s\" is not an attribute",
			    SHOWN(*rest));
	*ret_name = m3u8_trim(m3u8_cut(rest, '='));
	if (rest->len == 0 || rest->data[0] != '"') {
		*ret_value = m3u8_trim(m3u8_cut(rest, ','));
		return 1;
	}
	rest->data++;
	rest->len--;
	if (memchr(rest->data, '"', rest->len) == NULL)
		return FAIL(p, -EINVAL, "a quotation mark is missing");
	*ret_value = m3u8_cut(rest, '"');
	(void)m3u8_cut(rest, ',');
	return 1;
}

int m3u8_attributes(struct m3u8_parser *p, struct m3u8_text rest,
		    const struct m3u8_attribute *known, void *ret)
{
	struct m3u8_text name, value;

	for (unsigned i = 0; i < ATTRIBUTES_MAX; i++) {
		int r = next_attribute(p, &rest, &name, &value);
		const struct m3u8_attribute *k = known;
		void *at;

		if (r <= 0)
			return r;
		while (k->name != NULL && !m3u8_is(name, k->name))
			k++;
		at = (char *)ret + k->at;
		if (k->name == NULL)
			continue;
		if (k->kind == M3U8_TEXT)
			*(struct m3u8_text *)at = value;
		else if (k->kind == M3U8_YES)
			*(bool *)at = m3u8_is(value, "YES");
		else if ((r = m3u8_number(p, value, at)) < 0)
			return r;
	}
	return FAIL(p, -EINVAL, "more than %d attributes", ATTRIBUTES_MAX);
}
