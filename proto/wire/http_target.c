/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_target.h"

#include "common/base/hex.h"
#include "common/base/utf8.h"

#include <string.h>
#include <strings.h>

enum { PREVIEW_DIGITS = 64 };

/* Percent-decodes in place; NULL, or the error as a constant text. */
static const char *decode_path(char *path)
{
	char *to = path;
	const char *from = path;

	while (*from) {
		int c = *from == '%' ? hex_percent(from)
				     : (unsigned char)*from;

		if (c < 0)
			return "bad percent code in the path";
		if (*from == '%' && c == '/')
			return "encoded slash in the path";
		if ((c >= 0 && c < 0x20) || c == 0x7f || c == '\\' ||
		    c == '#')
			return "bad byte in the path";
		from += *from == '%' ? 3 : 1;
		*to++ = (char)c;
	}
	*to = '\0';
	return NULL;
}

/* Would a second decoding change the path?  Such a path ("%252f") is
 * rejected. */
static bool is_coded_twice(const char *path)
{
	for (const char *p = strchr(path, '%'); p; p = strchr(p + 1, '%'))
		if (hex_percent(p) >= 0)
			return true;
	return false;
}

/* Removes empty segments and "." in place, but keeps a slash at the end.  NULL,
 * or the error as a constant text. */
static const char *drop_dots(char *path)
{
	char *to = path;
	const char *from = path;

	while (*from) {
		size_t len = strcspn(++from, "/");
		bool last = from[len] == '\0';

		if (len == 2 && memcmp(from, "..", 2) == 0)
			return "'..' in the path";
		if (len == 1 && *from == '.')
			from++, len = 0;
		if (len > 0 || last)
			*to++ = '/';
		memmove(to, from, len);
		to += len;
		from += len;
	}
	*to = '\0';
	return NULL;
}

/* Returns the text behind the authority of a target in absolute form; it may be
 * "".  NULL: the target has another form, or its authority is invalid. */
static char *skip_origin(char *target)
{
	char *host;
	size_t len;

	if (strncasecmp(target, "http://", 7) == 0)
		host = target + 7;
	else if (strncasecmp(target, "https://", 8) == 0)
		host = target + 8;
	else
		return NULL;
	len = strcspn(host, "/?#@\\");
	if (len == 0 || host[len] == '@' || host[len] == '\\')
		return NULL;
	return host + len;
}

const char *http_target_read(char *target, bool asterisk,
			     const char **ret_path, const char **ret_query)
{
	char *path = target;
	char *query;
	const char *error;

	if (asterisk && strcmp(target, "*") == 0) {
		*ret_path = target;
		*ret_query = "";
		return NULL;
	}
	if (*target != '/')
		path = skip_origin(target);
	if (!path)
		return "bad form of the target";
	query = strchr(path, '?');
	if (query)
		*query++ = '\0';
	if (query && strchr(query, '#'))
		return "fragment in the target";
	if (strchr(path, '#'))
		return "fragment in the target";
	error = decode_path(path);
	if (!error && is_coded_twice(path))
		error = "path encoded twice";
	if (!error && !utf8_is_valid(path, strlen(path)))
		error = "path is not UTF-8";
	if (!error)
		error = drop_dots(path);
	if (error)
		return error;
	*ret_path = *path ? path : "/";
	*ret_query = query ? query : "";
	return NULL;
}

/* Decodes one byte of a form-encoded text and advances *p; -1: it is
 * malformed. */
static int form_byte(const char **p)
{
	int c = (unsigned char)**p;

	if (c == '%') {
		c = hex_percent(*p);
		*p += 2;
	} else if (c == '+') {
		c = ' ';
	}
	++*p;
	return c;
}

/* Is the decoded key of the pair at *p equal to key?  Advances *p behind the
 * key of the pair, or to its first malformed byte. */
static bool key_equals(const char **p, const char *key)
{
	bool equal = true;

	while (**p && **p != '=' && **p != '&') {
		const char *at = *p;
		int c = form_byte(&at);

		if (c < 0) /* a malformed key is never equal */
			return false;
		*p = at;
		if (equal && c != 0 && c == (unsigned char)*key)
			key++;
		else
			equal = false;
	}
	return equal && *key == '\0';
}

bool http_query_get(const char *query, const char *key, char *text,
		    size_t size)
{
	const char *p = query;
	const char *value;
	size_t n = 0;

	while (!key_equals(&p, key)) {
		p += strcspn(p, "&");
		if (*p++ == '\0')
			return false;
	}
	if (*p == '=')
		p++;
	value = p;
	while (*p && *p != '&')
		if (form_byte(&p) <= 0 || ++n >= size)
			return false;
	if (size == 0)
		return false;
	/* the loop above has checked the whole value */
	for (size_t i = 0; i < n; i++)
		text[i] = (char)form_byte(&value);
	text[n] = '\0';
	return true;
}

size_t http_query_count(const char *query, const char *key)
{
	size_t n = 0;

	for (const char *p = query;; p++) {
		const char *at = p;

		n += key_equals(&at, key) ? 1 : 0;
		p += strcspn(p, "&");
		if (*p == '\0')
			return n;
	}
}

/* Is the pair a token that the master made for a preview: "preview-" and 64
 * hexadecimal digits?  The token of a user may begin with "preview-", too. */
static bool is_preview(const char *pair)
{
	static const char begin[] = "token=preview-";
	size_t len = sizeof begin - 1, digits;

	if (strncmp(pair, begin, len) != 0)
		return false;
	digits = strspn(pair + len, "0123456789abcdef");
	return digits == PREVIEW_DIGITS &&
	       strchr("&", pair[len + digits]) != NULL;
}

bool http_query_has_preview(const char *query)
{
	for (; *query != '\0'; query += strcspn(query, "&")) {
		query += *query == '&';
		if (is_preview(query))
			return true;
	}
	return false;
}

void http_query_strip_hls(const char *query, char *ret)
{
	static const char hls[] = "_HLS_";
	char *to = ret;

	/* Leaves out what is for one request only.  The token of a preview is:
	 * playlists must not repeat it, so that the page of the preview cannot
	 * read the token.  That page sends its cookie with the requests for
	 * segments. */
	while (*query != '\0') {
		size_t len = strcspn(query, "&");

		if (len > 0 && strncmp(query, hls, sizeof hls - 1) != 0 &&
		    !is_preview(query)) {
			if (to > ret)
				*to++ = '&';
			memcpy(to, query, len);
			to += len;
		}
		query += len + (query[len] == '&');
	}
	*to = '\0';
}
