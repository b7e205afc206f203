/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/epg_source.h"

#include "proto/spec/field.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/io_type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_MAX_S = 600 };

#define AT(member) FIELD_AT(struct epg_source_spec, member)

static const char *const follows[] = { "public", "any", NULL };

static const struct field rows[] = {
	{ "interval", AT(interval_s), .min = EPG_INTERVAL_MIN_S,
	  .max = EPG_INTERVAL_MAX_S, .initial = EPG_INTERVAL_DEFAULT_S,
	  .unit = "s", .help = "Time between two imports." },
	{ "timeout", AT(http.timeout_s), .min = 1, .max = TIMEOUT_MAX_S,
	  .initial = HTTP_TIMEOUT_DEFAULT_S, .unit = "s",
	  .idle_in = WHERE_FILE,
	  .help = "Time without data from the server after which a transfer "
		  "fails." },
	{ "ua", AT(http.user_agent), .min = 1,
	  .idle_in = WHERE_FILE,
	  .help = "User-Agent of the requests." },
	{ "follow", AT(http.follow), .choices = follows,
	  .idle_in = WHERE_FILE,
	  .help = "Where redirects may lead: to the server's own and public "
		  "addresses, or to any." },
	{ "insecure", AT(http.insecure),
	  .idle_in = WHERE_FILE,
	  .help = "Accepts any certificate of the server." },
	{ "ca", AT(http.ca), .min = 1,
	  .idle_in = WHERE_FILE,
	  .help = "File with the certificates that are trusted." },
};
static const struct field_table fields = FIELD_TABLE(struct epg_source_spec,
						     rows);

static int read_target(const struct address *a, struct epg_source_spec *s,
		       struct errmsg *error)
{
	if (strcmp(a->type, "file") == 0) {
		if (a->target[0] != '/')
			return errmsg_fail(error, -EINVAL, "path: does not "
					   "begin with '/'");
		if (strrchr(a->target, '/')[1] == '\0')
			return errmsg_fail(error, -EINVAL,
					   "path: is a folder");
		return io_copy_path(a->target, s->path, error);
	}
	if (strcmp(a->type, "http") != 0 && strcmp(a->type, "https") != 0)
		return errmsg_fail(error, -EINVAL, "type: \"%.16s\" is none "
				   "of file, http, https", a->type);
	(void)snprintf(s->http.url, sizeof s->http.url, "%s://%s", a->type,
		       a->target);
	return io_judge_authority(a->target, error);
}

static int read_options(const struct address *a,
			const struct field_table *table,
			struct epg_source_spec *s, struct errmsg *error)
{
	for (size_t i = 0; i < a->n_options; i++) {
		const struct address_option *o = &a->options[i];
		const struct field *f = field_find(table, o->key);
		const char *nearest = f == NULL
				      ? field_nearest(&table, 1, o->key) : NULL;
		int r;

		if (nearest != NULL)
			return errmsg_fail(error, -EINVAL, "option \"%.64s\" "
					   "is not known; is it \"%s\"?",
					   o->key, nearest);
		if (f == NULL)
			return errmsg_fail(error, -EINVAL, "option \"%.64s\" "
					   "is not known", o->key);
		r = field_read_text(f, o->key,
				    o->value != NULL ? o->value : "", s,
				    error);
		if (r < 0) {
			errmsg_prefix(error, "%s: ", f->key);
			return r;
		}
	}
	if (s->http.ca[0] != '\0' && s->http.ca[0] != '/')
		return errmsg_fail(error, -EINVAL, "ca: \"%.64s\" is not an "
				   "absolute path", s->http.ca);
	return 0;
}

int epg_address_read(const char *text, const struct field_table *table,
		     void *spec, struct errmsg *error)
{
	struct address a;
	int r = address_parse(text, &a, error);

	if (r < 0)
		return r;
	field_init(table, spec);
	r = read_target(&a, spec, error);
	if (r == 0)
		r = read_options(&a, table, spec, error);
	address_done(&a);
	return r;
}

int epg_source_parse(const char *text, struct epg_source_spec *ret,
		     struct errmsg *error)
{
	struct epg_source_spec s = { 0 };
	int r = epg_address_read(text, &fields, &s, error);

	if (r == 0)
		*ret = s;
	return r;
}

static bool is_given(const struct field_need *need, void *arg)
{
	const struct address *a = arg;
	size_t i = 0;

	while (i < a->n_options && strcmp(a->options[i].key, need->key) != 0)
		i++;
	return i < a->n_options;
}

void epg_address_remark(const char *text, const struct field_table *table,
			io_remark_fn *remark, void *arg)
{
	struct errmsg sentence;
	struct address a;
	unsigned where;

	if (address_parse(text, &a, NULL) < 0)
		return;
	where = strcmp(a.type, "file") == 0 ? WHERE_FILE : 0;
	for (size_t i = 0; i < a.n_options; i++) {
		const struct field *f = field_find(table, a.options[i].key);

		if (f == NULL || !field_is_idle(f, where, is_given, &a,
						&sentence))
			continue;
		errmsg_prefix(&sentence, "%s: ", f->key);
		remark(sentence.text, arg);
	}
	address_done(&a);
}

void epg_source_remark(const char *text, io_remark_fn *remark, void *arg)
{
	epg_address_remark(text, &fields, remark, arg);
}
