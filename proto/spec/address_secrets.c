/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/address_secrets.h"

#include "common/base/buf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Ends an address in a sentence. */
#define BLANKS " \t\n\"'<>"

static bool is_among(const char *name, size_t len, const char *const *list,
		     bool (*fits)(const char *, size_t, const char *))
{
	for (; *list != NULL; list++)
		if (fits(name, len, *list))
			return true;
	return false;
}

static bool begins(const char *name, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && strncasecmp(name, word, n) == 0;
}

static bool ends(const char *name, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && strncasecmp(name + len - n, word, n) == 0;
}

static bool contains(const char *name, size_t len, const char *word)
{
	for (; len >= strlen(word); name++, len--)
		if (begins(name, len, word))
			return true;
	return false;
}

/* pass_sdt, pass_data and so on are no secrets. */
static bool is_secret(const char *name, size_t len)
{
	static const char *const first[] = { "header.", "biss", NULL };
	static const char *const within[] = { "pass", "secret", "token",
					      "auth", "signature", NULL };
	static const char *const last[] = { "key", "sig", NULL };

	return !begins(name, len, "pass_") &&
	       (is_among(name, len, first, begins) ||
		is_among(name, len, within, contains) ||
		is_among(name, len, last, ends));
}

static void put(struct buf *out, const char *text, size_t len)
{
	buf_append(out, text, len);
}

/* The part in front of the host; returns its length with the '@'.  An interface
 * stays: eth0@. */
static size_t copy_user(struct buf *out, const char *at, size_t len, bool web)
{
	const char *end = memrchr(at, '@', len), *colon;

	if (end == NULL)
		return 0;
	colon = memchr(at, ':', (size_t)(end - at));
	if (colon != NULL)
		put(out, at, (size_t)(colon + 1 - at));
	if (colon != NULL || web)
		put(out, ADDRESS_HIDDEN, strlen(ADDRESS_HIDDEN));
	else
		put(out, at, (size_t)(end - at));
	put(out, "@", 1);
	return (size_t)(end + 1 - at);
}

/* A name, with its value if there is one; returns their length. */
static size_t copy_option(struct buf *out, const char *at, const char *stops)
{
	size_t len = strcspn(at, stops), name = strcspn(at, "=");

	if (name >= len || !is_secret(at, name)) {
		put(out, at, len);
		return len;
	}
	put(out, at, name + 1);
	put(out, ADDRESS_HIDDEN, strlen(ADDRESS_HIDDEN));
	return len;
}

/* The text behind "://"; returns its length. */
static size_t copy_address(struct buf *out, const char *at, bool web,
			   bool alone)
{
	const char *host = alone ? "/?#" : "/?#" BLANKS;
	const char *path = alone ? "?#" : "?#" BLANKS;
	const char *option = alone ? "&#" : "&#" BLANKS;
	const char *begin = at;
	size_t n;

	at += copy_user(out, at, strcspn(at, host), web);
	n = strcspn(at, path);
	put(out, at, n);
	at += n;
	while (*at == '?' || *at == '#' || *at == '&') {
		put(out, at++, 1);
		at += copy_option(out, at, option);
	}
	return (size_t)(at - begin);
}

static bool is_web(const char *begin, const char *colon)
{
	static const char *const schemes[] = { "http", "https", "np", "rtsp",
					       NULL };

	return is_among(begin, (size_t)(colon - begin), schemes, ends);
}

char *address_hide_secrets(const char *text)
{
	struct buf out = { 0 };
	const char *at = text, *colon;
	char *copy = NULL;

	while ((colon = strstr(at, "://")) != NULL) {
		bool alone = at == text &&
			     strcspn(text, BLANKS) > (size_t)(colon - text);

		put(&out, at, (size_t)(colon + 3 - at));
		at = colon + 3 + copy_address(&out, colon + 3,
					      is_web(at, colon), alone);
	}
	put(&out, at, strlen(at) + 1);
	if (strcmp((const char *)buf_head(&out), text) != 0)
		copy = strdup((const char *)buf_head(&out));
	buf_done(&out);
	return copy;
}
