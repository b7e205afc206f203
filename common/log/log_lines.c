/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/log/log_lines.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <stdlib.h>
#include <string.h>

struct record {
	int64_t time_ms;
	enum log_level level;
	/* at `at' data has the component, its NUL, the text, its NUL */
	uint32_t at, component_len, text_len;
};

struct log_lines {
	/* line n has index n modulo LOG_LINES_MAX */
	struct record records[LOG_LINES_MAX];
	char data[LOG_LINES_BYTES];
	uint64_t first, next;
	size_t at; /* the place of the next line in data */
};

struct log_lines *log_lines_new(uint64_t first)
{
	struct log_lines *l = xcalloc(1, sizeof *l);

	l->first = l->next = first;
	return l;
}

void log_lines_free(struct log_lines **l)
{
	free(*l);
	*l = NULL;
}

uint64_t log_lines_first(const struct log_lines *l)
{
	return l->first;
}

uint64_t log_lines_next(const struct log_lines *l)
{
	return l->next;
}

static struct record *record_of(struct log_lines *l, uint64_t n)
{
	return &l->records[n % LOG_LINES_MAX];
}

static size_t record_size(const struct record *r)
{
	return (size_t)r->component_len + r->text_len + 2;
}

/* Drops the oldest lines until none is in size bytes at the place of the next
 * one. */
static void make_room(struct log_lines *l, size_t size)
{
	if (l->next - l->first == LOG_LINES_MAX)
		l->first++;
	if (l->at + size > LOG_LINES_BYTES) {
		/* lines behind this place are older than all lines in front of
		 * it */
		while (l->first < l->next &&
		       record_of(l, l->first)->at >= l->at)
			l->first++;
		l->at = 0;
	}
	while (l->first < l->next) {
		const struct record *r = record_of(l, l->first);

		if (r->at >= l->at + size || r->at + record_size(r) <= l->at)
			break;
		l->first++;
	}
}

void log_lines_add(struct log_lines *l, const struct log_line *line)
{
	struct record r = {
		.time_ms = line->time_ms,
		.level = line->level,
		.component_len = (uint32_t)strnlen(line->component,
						   LOG_HEAD_MAX),
		.text_len = (uint32_t)strnlen(line->text,
					      LOG_LINES_TEXT_MAX),
	};
	char *to;

	make_room(l, record_size(&r));
	r.at = (uint32_t)l->at;
	to = mempcpy(l->data + l->at, line->component, r.component_len);
	*to++ = '\0';
	to = mempcpy(to, line->text, r.text_len);
	*to = '\0';
	l->at += record_size(&r);
	*record_of(l, l->next++) = r;
}

bool log_lines_get(const struct log_lines *l, uint64_t n,
		   struct log_line *ret)
{
	const struct record *r = &l->records[n % LOG_LINES_MAX];

	if (n < l->first || n >= l->next)
		return false;
	*ret = (struct log_line){
		.n = n,
		.time_ms = r->time_ms,
		.level = r->level,
		.component = l->data + r->at,
		.text = l->data + r->at + r->component_len + 1,
	};
	return true;
}
