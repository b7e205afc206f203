/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/head.h"

#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct slice trim(struct slice s)
{
	while (s.len > 0 && is_blank(*s.at)) {
		s.at++;
		s.len--;
	}
	while (s.len > 0 && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

size_t head_length(const void *data, size_t len)
{
	const char *text = data;
	size_t line = 0; /* bytes of the current line so far, without CR */

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n') {
			if (line == 0 && i > 0)
				return i + 1;
			line = 0;
		} else if (text[i] != '\r') {
			line++;
		}
	}
	return 0;
}

/* Takes the text in front of the separator off the front of *rest; false:
 * nothing is left in *rest. */
static bool cut(struct slice *rest, char separator, struct slice *ret)
{
	const char *end;

	if (rest->at == NULL)
		return false;
	end = memchr(rest->at, separator, rest->len);
	*ret = *rest;
	if (end == NULL) {
		*rest = (struct slice){ 0 };
		return true;
	}
	ret->len = (size_t)(end - ret->at);
	rest->at = end + 1;
	rest->len -= ret->len + 1;
	return true;
}

bool head_line(struct slice *rest, struct slice *ret)
{
	struct slice line;

	if (rest->len == 0 || !cut(rest, '\n', &line))
		return false;
	*ret = trim(line);
	return true;
}

bool head_field(struct slice *rest, struct slice *name, struct slice *value)
{
	struct slice line;

	while (head_line(rest, &line))
		if (slice_split(line, ':', name, value))
			return true;
	return false;
}

bool slice_part(struct slice *rest, char separator, struct slice *ret)
{
	struct slice part;

	if (!cut(rest, separator, &part))
		return false;
	*ret = trim(part);
	return true;
}

bool slice_split(struct slice part, char separator, struct slice *name,
		 struct slice *value)
{
	struct slice rest = part, first = { 0 };

	(void)cut(&rest, separator, &first);
	*name = trim(first);
	*value = trim(rest);
	return rest.at != NULL;
}

bool slice_is(struct slice s, const char *text)
{
	return s.len == strlen(text) && slice_begins(s, text);
}

bool slice_begins(struct slice s, const char *text)
{
	size_t len = strlen(text);

	return s.len >= len && strncasecmp(s.at, text, len) == 0;
}

bool slice_number(struct slice s, uint32_t max, uint32_t *ret)
{
	uint64_t n = 0;

	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.at[i] < '0' || s.at[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(s.at[i] - '0');
		if (n > max)
			return false;
	}
	*ret = (uint32_t)n;
	return true;
}

bool slice_copy(struct slice s, char *text, size_t size)
{
	if (s.len == 0 || s.len >= size)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] < ' ' || s.at[i] > '~')
			return false;
	memcpy(text, s.at, s.len);
	text[s.len] = '\0';
	return true;
}
