/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/viewer_settings.h"

#include "common/account/client_address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Makes the URL of a backend that is an object {format, host, port}; "": a part
 * is missing. */
static void join_backend(const json_t *backend, char url[VIEWER_URL_MAX])
{
	const json_t *port = json_object_get(backend, "port");
	const char *format = json_string_value(
		json_object_get(backend, "format"));
	const char *host = json_string_value(json_object_get(backend, "host"));
	char number[32] = "";
	int n = -1;

	if (json_is_integer(port))
		(void)snprintf(number, sizeof number,
			       ":%" JSON_INTEGER_FORMAT,
			       json_integer_value(port));
	else if (json_string_length(port) > 0)
		(void)snprintf(number, sizeof number, ":%.16s",
			       json_string_value(port));
	if (format != NULL && host != NULL)
		n = snprintf(url, VIEWER_URL_MAX, "%s://%s%s", format, host,
			     number);
	if (n < 0 || n >= VIEWER_URL_MAX)
		url[0] = '\0';
}

static bool is_url(const char *text)
{
	size_t scheme = strncmp(text, "http://", 7) == 0 ? 7
			: strncmp(text, "https://", 8) == 0 ? 8 : 0;

	for (const char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c <= ' ' || *c == '#' || *c == 0x7f)
			return false;
	return scheme > 0 && text[scheme] != '\0' && text[scheme] != '/' &&
	       text[scheme] != '?';
}

static bool is_absent(const json_t *value)
{
	return value == NULL || json_is_null(value) ||
	       (json_is_string(value) && json_string_length(value) == 0);
}

int viewer_backend_url(const json_t *auth, char url[VIEWER_URL_MAX],
		       struct errmsg *error)
{
	static const struct {
		const char *key, *path;
	} bases[] = {
		{ "backend", "" },
		{ "iptvportal", "/auth/arescrypt/" },
		{ "smarty", "/tvmiddleware/api/streamservice/token/check/" },
		{ "ministra", "/server/api/chk_flussonic_tmp_link.php" },
	};
	char base[VIEWER_URL_MAX] = "";
	const json_t *value;
	size_t i = 0, len;

	url[0] = '\0';
	while (i < ARRAY_LEN(bases) &&
	       is_absent(json_object_get(auth, bases[i].key)))
		i++;
	if (i == ARRAY_LEN(bases))
		return 0;
	value = json_object_get(auth, bases[i].key);
	if (json_is_object(value) && i == 0)
		join_backend(value, base);
	else if (json_is_string(value) &&
		 json_string_length(value) < sizeof base)
		(void)snprintf(base, sizeof base, "%s",
			       json_string_value(value));
	len = strlen(base);
	if (!is_url(base))
		return errmsg_fail(error, -EINVAL, "%s: is not a URL of http "
				   "or https", bases[i].key);
	/* removes a slash at the end of the base, because the path begins with
	 * one */
	if (i > 0 && base[len - 1] == '/')
		len--;
	if (len + strlen(bases[i].path) >= VIEWER_URL_MAX)
		return errmsg_fail(error, -EINVAL, "%s: is too long",
				   bases[i].key);
	memcpy(url, base, len);
	memcpy(url + len, bases[i].path, strlen(bases[i].path) + 1);
	return 0;
}

static bool is_word(const json_t *auth, const char *key, const char *word)
{
	const char *text = json_string_value(json_object_get(auth, key));

	return text != NULL && strcmp(text, word) == 0;
}

void viewer_settings_read(const json_t *settings, const json_t *auth,
			  struct viewer_settings *ret)
{
	struct errmsg error;

	if (viewer_backend_url(auth, ret->url, &error) < 0)
		ret->url[0] = '\0';
	ret->real_ip = viewer_header_counts(settings, auth);
	ret->ends_oldest = is_word(auth, "conlimit_mode", "oldest");
	/* the default is that of the product that sluice replaces */
	ret->fails_closed =
		!is_absent(json_object_get(auth, "backend_unreachable")) &&
		!is_word(auth, "backend_unreachable", "allow");
}

bool viewer_location_is_valid(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] <= ' ' ||
		    (unsigned char)text[i] >= 0x7f)
			return false;
	return len > 0 && len <= VIEWER_LOCATION_MAX;
}
