/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_streamid.h"

#include "common/base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ACCESS_CONTROL "#!::"

/* Appends a text to the query, escaped as in a URL, and cuts it at
 * SRT_QUERY_MAX bytes. */
static void add_escaped(char *query, const char *text)
{
	size_t at = strlen(query);

	for (; *text != '\0' && at + 3 <= SRT_QUERY_MAX; text++) {
		unsigned char c = (unsigned char)*text;

		if (isalnum(c) || strchr("-._~", c) != NULL)
			query[at++] = (char)c;
		else
			at += (size_t)snprintf(query + at, 4, "%%%02X", c);
	}
	query[at] = '\0';
}

static void set_auth(struct srt_request *r, const char *login,
		     const char *password)
{
	(void)snprintf(r->query, sizeof r->query, "auth=");
	add_escaped(r->query, login);
	add_escaped(r->query, ":");
	add_escaped(r->query, password);
}

static void set_token(struct srt_request *r, const char *token)
{
	(void)snprintf(r->query, sizeof r->query, "token=");
	add_escaped(r->query, token);
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The values of a list of pairs such as "r=news,u=anna"; NULL: the key is
 * absent.  They point into a copy that read_pairs() modifies. */
struct pairs {
	const char *host, *resource, *login, *secret, *token, *mode, *type;
};

static bool read_pairs(char *text, struct pairs *p)
{
	const struct {
		const char *key, **value;
	} keys[] = {
		{ "h", &p->host }, { "r", &p->resource }, { "u", &p->login },
		{ "s", &p->secret }, { "token", &p->token },
		{ "m", &p->mode }, { "t", &p->type },
	};
	char *pair, *rest = text;

	while ((pair = strsep(&rest, ",")) != NULL) {
		char *value = strchr(pair, '=');

		if (pair[0] == '\0' && rest == NULL)
			break;
		if (value == NULL || value == pair)
			return false;
		*value++ = '\0';
		for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
			if (strcmp(pair, keys[i].key) != 0)
				continue;
			/* a key that occurs twice is rejected, because it is
			 * ambiguous */
			if (*keys[i].value != NULL)
				return false;
			*keys[i].value = value;
		}
	}
	return true;
}

static bool is_absent_or(const char *value, const char *word)
{
	return value == NULL || strcmp(value, word) == 0;
}

static enum srt_request_error read_access(char *text, struct srt_request *r)
{
	struct pairs p = { NULL };

	if (!read_pairs(text, &p) || (p.token != NULL && p.secret != NULL))
		return SRT_REQUEST_MALFORMED;
	if (!is_absent_or(p.mode, "request") || !is_absent_or(p.type, "stream"))
		return SRT_REQUEST_MODE;
	if (p.host != NULL)
		(void)snprintf(r->host, sizeof r->host, "%s", p.host);
	if (p.resource != NULL)
		(void)snprintf(r->path, sizeof r->path, "%s", p.resource);
	if (p.token != NULL)
		set_token(r, p.token);
	else if (p.login != NULL && p.secret != NULL)
		set_auth(r, p.login, p.secret);
	else if (p.secret != NULL)
		set_token(r, p.secret);
	return SRT_REQUEST_OK;
}

/* Takes a query unchanged.  SRT_REQUEST_MALFORMED: it has bytes that a URL must
 * not have. */
static enum srt_request_error set_query(struct srt_request *r,
					const char *query)
{
	for (const char *c = query; *c != '\0'; c++)
		if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f)
			return SRT_REQUEST_MALFORMED;
	(void)snprintf(r->query, sizeof r->query, "%s", query);
	return SRT_REQUEST_OK;
}

static enum srt_request_error read_plain(char *text, struct srt_request *r)
{
	char *mark = strchr(text, '?'), *colon = strchr(text, ':');

	if (starts_with(text, "token=") || starts_with(text, "auth="))
		return set_query(r, text);
	if (mark == NULL && colon != NULL) {
		*colon = '\0';
		set_auth(r, text, colon + 1);
		return SRT_REQUEST_OK;
	}
	if (mark != NULL)
		*mark++ = '\0';
	(void)snprintf(r->path, sizeof r->path, "%s", text);
	return set_query(r, mark != NULL ? mark : "");
}

enum srt_request_error srt_streamid_read(const char *streamid,
					 struct srt_request *ret)
{
	char copy[SRT_STREAMID_MAX + 1];
	size_t len = strlen(streamid);
	enum srt_request_error error = SRT_REQUEST_MALFORMED;

	*ret = (struct srt_request){ .path = "" };
	if (len >= sizeof copy || !utf8_is_valid(streamid, len))
		return SRT_REQUEST_MALFORMED;
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)streamid[i]))
			return SRT_REQUEST_MALFORMED;
	memcpy(copy, streamid, len + 1);
	if (starts_with(copy, ACCESS_CONTROL))
		error = read_access(copy + strlen(ACCESS_CONTROL), ret);
	else if (!starts_with(copy, "#!"))
		error = read_plain(copy, ret);
	explicit_bzero(copy, sizeof copy);
	return error;
}

bool srt_streamid_names(const char *streamid, const char *resource)
{
	struct srt_request r;
	bool names = strcmp(streamid, resource) == 0 ||
		     (srt_streamid_read(streamid, &r) == SRT_REQUEST_OK &&
		      strcmp(r.path, resource) == 0);

	explicit_bzero(&r, sizeof r);
	return names;
}
