/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/findings.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Returns key and text without the indices in them, which is equal for similar
 * findings; free() it. */
static char *make_kind(const char *key, const char *text)
{
	char *whole = xasprintf("%s: %s", key, text), *to = whole;

	for (const char *from = whole; *from != '\0';) {
		if (to > whole && to[-1] == '[')
			from += strspn(from, "0123456789");
		if (*from != '\0')
			*to++ = *from++;
	}
	*to = '\0';
	return whole;
}

void findings_add(enum check_severity severity, const char *path,
		  const char *text, void *arg)
{
	const char *key = strrchr(path, '.');
	struct findings *f = arg;

	if (f->n == f->room) {
		f->room = MAX(2 * f->room, (size_t)16);
		f->list = xrealloc(f->list, f->room * sizeof *f->list);
	}
	f->list[f->n++] = (struct finding){
		.severity = severity,
		.path = xstrdup(path),
		.text = xstrdup(text),
		.kind = make_kind(key != NULL ? key + 1 : path, text),
	};
}

/* Counts a finding; returns the number of earlier ones of its kind. */
static size_t count(json_t *counts, const struct finding *one)
{
	json_int_t n = json_integer_value(json_object_get(counts, one->kind));

	(void)json_object_set_new_nocheck(counts, one->kind,
					  json_integer(n + 1));
	return (size_t)n;
}

void findings_report(const struct findings *f, check_found_fn *report,
		     void *arg)
{
	json_t *all = json_object(), *reported = json_object();

	for (size_t i = 0; i < f->n; i++) {
		const struct finding *one = &f->list[i];

		if (one->severity == CHECK_WARNING)
			(void)count(all, one);
		else
			report(one->severity, one->path, one->text, arg);
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *one = &f->list[i];
		size_t n = FINDINGS_ALIKE_MAX + 1, more;
		char *text;

		if (one->severity == CHECK_WARNING)
			n = count(reported, one) + 1;
		if (n > FINDINGS_ALIKE_MAX)
			continue;
		more = n == FINDINGS_ALIKE_MAX ? count(all, one) - n : 0;
		text = xasprintf("%s; and %zu more like these", one->text,
				 more);
		report(CHECK_WARNING, one->path, more > 0 ? text : one->text,
		       arg);
		free(text);
	}
	json_decref(all);
	json_decref(reported);
}

void findings_repeat(const struct findings *f, check_found_fn *report,
		     void *arg)
{
	for (size_t i = 0; f != NULL && i < f->n; i++)
		report(f->list[i].severity, f->list[i].path, f->list[i].text,
		       arg);
}

void findings_done(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->list[i].path);
		free(f->list[i].text);
		free(f->list[i].kind);
	}
	free(f->list);
	*f = (struct findings){ 0 };
}
