/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/findings.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The text without the places that it names: findings of a kind share it. */
static char *kind_of(const char *text)
{
	char *kind = xstrdup(text), *to = kind;

	for (const char *from = text; *from != '\0';) {
		if (to > kind && to[-1] == '[')
			from += strspn(from, "0123456789");
		if (*from != '\0')
			*to++ = *from++;
	}
	*to = '\0';
	return kind;
}

void findings_add(enum check_severity severity, const char *path,
		  const char *text, void *arg)
{
	struct findings *f = arg;

	if (f->n == f->room) {
		f->room = MAX(2 * f->room, (size_t)16);
		f->list = xrealloc(f->list, f->room * sizeof *f->list);
	}
	f->list[f->n++] = (struct finding){
		.severity = severity,
		.path = xstrdup(path),
		.text = xstrdup(text),
		.kind = kind_of(text),
	};
}

/* How many of its kind were counted before it. */
static size_t count(json_t *counts, const struct finding *one)
{
	json_int_t n = json_integer_value(json_object_get(counts, one->kind));

	(void)json_object_set_new_nocheck(counts, one->kind,
					  json_integer(n + 1));
	return (size_t)n;
}

static void tell_last(const struct finding *one, size_t more,
		      check_found_fn *tell, void *arg)
{
	char *text = xasprintf("%s; and %zu more like these", one->text, more);

	tell(CHECK_WARNING, one->path, more > 0 ? text : one->text, arg);
	free(text);
}

static void tell_warnings(const struct findings *f, check_found_fn *tell,
			  void *arg)
{
	json_t *all = json_object(), *told = json_object();

	for (size_t i = 0; i < f->n; i++)
		if (f->list[i].severity == CHECK_WARNING)
			(void)count(all, &f->list[i]);
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *one = &f->list[i];
		size_t n;

		if (one->severity != CHECK_WARNING)
			continue;
		n = count(told, one) + 1;
		if (n < FINDINGS_ALIKE_MAX)
			tell(CHECK_WARNING, one->path, one->text, arg);
		else if (n == FINDINGS_ALIKE_MAX)
			tell_last(one, count(all, one) - n, tell, arg);
	}
	json_decref(all);
	json_decref(told);
}

void findings_tell(const struct findings *f, check_found_fn *tell, void *arg)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->list[i].severity != CHECK_WARNING)
			tell(f->list[i].severity, f->list[i].path,
			     f->list[i].text, arg);
	tell_warnings(f, tell, arg);
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
