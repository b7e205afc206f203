/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ctl_settings.h"

#include "common/base/address.h"
#include "common/base/alloc.h"
#include "ctl/file.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TIMEOUT_S = 30,
	TIMEOUT_MAX_S = 3600,
	FILE_MAX = 64 * 1024,
};

void settings_done(struct settings *s)
{
	free(s->url);
	free(s->user);
	free(s->cacert);
	*s = (struct settings){ 0 };
}

char *settings_folder(const char *variable, const char *fallback)
{
	const char *folder = getenv(variable);
	const char *home = getenv("HOME");

	/* XDG Base Directory: relative paths must be ignored */
	if (folder != NULL && folder[0] == '/')
		return xasprintf("%s/sluicectl", folder);
	return home != NULL && home[0] != '\0'
		       ? xasprintf("%s/%s/sluicectl", home, fallback)
		       : NULL;
}

/* --- the address --- */

static bool part_is(CURLU *url, CURLUPart part)
{
	char *text = NULL;
	bool there = curl_url_get(url, part, &text, 0) == CURLUE_OK &&
		     text[0] != '\0';

	curl_free(text);
	return there;
}

/* Judges an address: http or https, without user, query and fragment.  0, or
 * -EINVAL with error. */
static int judge_url(CURLU *url, struct errmsg *error)
{
	char *scheme = NULL;
	int r = 0;

	if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
	    (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0))
		r = errmsg_fail(error, -EINVAL, "is not http:// or https://");
	else if (part_is(url, CURLUPART_USER) ||
		 part_is(url, CURLUPART_PASSWORD))
		r = errmsg_fail(error, -EINVAL, "must not name a user: use "
				"--user, and sluicectl login");
	else if (part_is(url, CURLUPART_QUERY) ||
		 part_is(url, CURLUPART_FRAGMENT))
		r = errmsg_fail(error, -EINVAL, "ends with '?' or '#'");
	curl_free(scheme);
	return r;
}

char *settings_url(const char *text, struct errmsg *error)
{
	bool scheme = strstr(text, "://") != NULL;
	char *given = scheme ? xstrdup(text) : xasprintf("http://%s", text);
	char *whole = NULL, *ret = NULL, *port = NULL;
	CURLU *url = curl_url();

	if (text[0] == '\0' ||
	    curl_url_set(url, CURLUPART_URL, given,
			 CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
		errmsg_set(error, "\"%s\" is not an address such as "
			   "http://host:8000", text);
		goto out;
	}
	if (judge_url(url, error) < 0) {
		errmsg_prefix(error, "\"%.128s\": ", text);
		goto out;
	}
	if (!scheme && curl_url_get(url, CURLUPART_PORT, &port, 0) ==
			       CURLUE_NO_PORT)
		(void)curl_url_set(url, CURLUPART_PORT, "8000", 0);
	if (curl_url_get(url, CURLUPART_URL, &whole, 0) != CURLUE_OK)
		abort(); /* out of memory */
	for (size_t len = strlen(whole); len > 0 && whole[len - 1] == '/';
	     len--)
		whole[len - 1] = '\0';
	ret = xstrdup(whole);
out:
	curl_free(whole);
	curl_free(port);
	curl_url_cleanup(url);
	free(given);
	return ret;
}

bool settings_is_private(const char *text)
{
	static const char *const own[] = { "127.0.0.1", "localhost", "[::1]" };
	CURLU *url = curl_url();
	char *host = NULL;
	bool is = strncmp(text, "https:", 6) == 0;

	if (!is && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
	    curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK)
		for (size_t i = 0; i < ARRAY_LEN(own); i++)
			is = is || strcmp(host, own[i]) == 0;
	curl_free(host);
	curl_url_cleanup(url);
	return is;
}

/* --- the file --- */

static void put(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
}

static int take_pair(const char *key, const char *value, struct settings *s,
		     struct errmsg *error)
{
	uint64_t number;
	int r;

	if (strcmp(key, "url") == 0) {
		char *url = settings_url(value, error);

		if (url == NULL)
			return -EINVAL;
		free(s->url);
		s->url = url;
		return 0;
	}
	if (strcmp(key, "user") == 0) {
		put(&s->user, value);
		return 0;
	}
	if (strcmp(key, "cacert") == 0) {
		put(&s->cacert, value);
		return 0;
	}
	if (strcmp(key, "timeout") == 0) {
		r = address_number(key, value, 1, TIMEOUT_MAX_S, &number,
		                   error);
		if (r == 0)
			s->timeout_s = (unsigned)number;
		return r;
	}
	if (strcmp(key, "insecure") == 0) {
		s->insecure = strcmp(value, "true") == 0;
		if (!s->insecure && strcmp(value, "false") != 0)
			return errmsg_fail(error, -EINVAL,
					   "insecure: is true or false");
		return 0;
	}
	return errmsg_fail(error, -EINVAL, "\"%.64s\" is none of url, user, "
			   "cacert, insecure, timeout", key);
}

/* Trims blanks at both ends. */
static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r", end[-1]) != NULL)
		*--end = '\0';
	return text + strspn(text, " \t\r");
}

/* The state of the parser. */
struct parse {
	const char *name;   /* name of the wanted section; NULL: none */
	bool counts;        /* the values of the current section are taken */
	bool found;         /* the text has the wanted section */
	struct settings *s;
};

static int take_line(struct parse *p, char *line, struct errmsg *error)
{
	struct settings unused = { 0 };
	size_t len = strlen(line);
	char *equals;
	int r;

	if (line[0] == '\0' || line[0] == '#' || line[0] == ';')
		return 0;
	if (line[0] == '[') {
		if (line[len - 1] != ']')
			return errmsg_fail(error, -EINVAL, "']' is missing");
		line[len - 1] = '\0';
		p->counts = p->name != NULL && strcmp(line + 1, p->name) == 0;
		p->found = p->found || p->counts;
		return 0;
	}
	equals = strchr(line, '=');
	if (equals == NULL)
		return errmsg_fail(error, -EINVAL, "is not \"key = value\"");
	*equals = '\0';
	/* the lines of other sections are checked and not stored */
	r = take_pair(trim(line), trim(equals + 1),
		      p->counts ? p->s : &unused, error);
	settings_done(&unused);
	return r;
}

int settings_parse(const char *text, const char *name, struct settings *ret,
		   bool *found, struct errmsg *error)
{
	struct parse p = { .name = name, .counts = true, .s = ret };
	char *copy = xstrdup(text), *rest = copy, *line;
	int r = 0;

	for (size_t n = 1; r == 0 && (line = strsep(&rest, "\n")) != NULL;
	     n++) {
		r = take_line(&p, trim(line), error);
		if (r < 0)
			errmsg_prefix(error, "line %zu: ", n);
	}
	free(copy);
	if (found != NULL)
		*found = p.found;
	return r;
}

static int load_file(const struct options *o, struct settings *s,
		     bool *named, struct errmsg *error)
{
	char *folder = settings_folder("XDG_CONFIG_HOME", ".config");
	char *path = o->config != NULL ? xstrdup(o->config)
		     : folder != NULL  ? xasprintf("%s/config", folder)
				       : NULL;
	char *text = NULL;
	int r = 0;

	*named = false;
	if (path != NULL)
		r = file_read(path, FILE_MAX, &text, NULL, error);
	if (r == -ENOENT && o->config == NULL) {
		error->text[0] = '\0'; /* the file is optional */
		r = 0;
	}
	if (r == 0 && text != NULL) {
		r = settings_parse(text, o->host, s, named, error);
		if (r < 0)
			errmsg_prefix(error, "%s: ", path);
	}
	free(text);
	free(path);
	free(folder);
	return r;
}

static int take_url(const char *text, const char *from, struct settings *s,
		    struct errmsg *error)
{
	char *url = settings_url(text, error);

	if (url == NULL) {
		errmsg_prefix(error, "%s: ", from);
		return -EINVAL;
	}
	free(s->url);
	s->url = url;
	return 0;
}

int settings_load(const struct options *o, struct settings *ret,
		  struct errmsg *error)
{
	const char *variable = getenv("SLUICE_URL");
	struct settings s = { .timeout_s = TIMEOUT_S };
	bool named;
	int r = load_file(o, &s, &named, error);

	if (r == 0 && o->host != NULL && !named)
		r = take_url(o->host, "--host", &s, error);
	else if (r == 0 && o->host == NULL && variable != NULL &&
		 variable[0] != '\0')
		r = take_url(variable, "SLUICE_URL", &s, error);
	if (r == 0 && s.url == NULL)
		s.url = xstrdup("http://127.0.0.1:8000");
	if (r < 0) {
		settings_done(&s);
		return r;
	}
	if (o->user != NULL)
		put(&s.user, o->user);
	if (o->cacert != NULL)
		put(&s.cacert, o->cacert);
	s.insecure = s.insecure || o->insecure;
	if (o->timeout_s > 0)
		s.timeout_s = o->timeout_s;
	*ret = s;
	return 0;
}
