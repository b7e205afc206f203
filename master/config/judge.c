/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/judge.h"

#include "common/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t append(struct judge *j, const char *format, ...)
	PRINTF_LIKE(2, 3);

static size_t append(struct judge *j, const char *format, ...)
{
	size_t mark = strlen(j->path);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(j->path + mark, sizeof j->path - mark, format, args);
	va_end(args);
	return mark;
}

size_t judge_down(struct judge *j, const char *key)
{
	return append(j, "%s%s", j->path[0] != '\0' ? "." : "", key);
}

size_t judge_down_index(struct judge *j, size_t i)
{
	return append(j, "[%zu]", i);
}

void judge_up(struct judge *j, size_t mark)
{
	j->path[mark] = '\0';
}

void judge_add(struct judge *j, enum check_severity severity,
	       const char *format, ...)
{
	char text[256];
	va_list args;

	if (severity != CHECK_WARNING)
		j->faults++;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	utf8_repair(text);
	if (j->found != NULL)
		j->found(severity, j->path, text, j->arg);
}

static void on_field(const char *path, const char *text, void *arg)
{
	struct judge *j = arg;
	size_t mark = judge_down(j, path);

	judge_add(j, CHECK_FAULT, "%s", text);
	judge_up(j, mark);
}

void judge_fields(struct judge *j, const struct field_table *t,
		  const json_t *object, void *s)
{
	(void)field_check(t, object, s, on_field, j);
}
