/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/hls_bases.h"

#include "common/base/alloc.h"
#include "common/base/ring_segment.h"
#include "common/base/wall.h"
#include "common/document/document.h"
#include "common/document/save.h"

#include <stdlib.h>

enum {
	/* The file is so far ahead: a time base of a stream costs no write. */
	AHEAD = 16,
	/* A faulty worker may report any number.  Some players are slow with
	 * numbers above a million. */
	LEAD_MAX = 100000, /* ahead of the clock, or of the file at the start */
	STEP_MAX = 10000,  /* ahead of the last number, or of the clock */
	/* The clock has it in 2045.  The clock may be behind the file. */
	NEXT_MAX = 2000000,
	DELAY_MS = 1,
	RETRY_MIN_MS = 1000,
	RETRY_MAX_MS = 60000,
};

struct hls_bases {
	struct save *save; /* NULL: no file */
	uint64_t next;     /* no ring has used it */
	uint64_t loaded;   /* next at the start */
	uint64_t kept;     /* next of the file; 0: it has none */
};

static char *format(size_t *ret_len, void *arg)
{
	const struct hls_bases *b = arg;
	json_t *document = json_pack("{s:I}", "next", (json_int_t)b->kept);
	char *text = document_format(document, ret_len);

	json_decref(document);
	return text;
}

/* The file stays below NEXT_MAX. */
static bool is_sound(const struct hls_bases *b, uint64_t base)
{
	uint64_t clock = ring_base_at(wall_ms() / 1000);

	return base <= MAX(clock, b->loaded) + LEAD_MAX &&
	       base <= MAX(clock, b->next) + STEP_MAX &&
	       base + 1 + AHEAD <= NEXT_MAX;
}

/* 0: there is none. */
static uint64_t load(const char *path)
{
	struct errmsg error;
	json_t *document = NULL;
	json_int_t next = 0;

	if (document_load(path, &document, &error) == 0)
		next = json_integer_value(json_object_get(document, "next"));
	json_decref(document);
	return next > 0 && next <= NEXT_MAX ? (uint64_t)next : 0;
}

struct hls_bases *hls_bases_new(struct ev_loop *loop, const char *path)
{
	struct hls_bases *b = xcalloc(1, sizeof *b);

	if (path == NULL)
		return b;
	b->next = b->kept = b->loaded = load(path);
	b->save = save_new(&(struct save_config){
		.loop = loop,
		.path = path,
		.delay_ms = DELAY_MS,
		.retry_min_ms = RETRY_MIN_MS,
		.retry_max_ms = RETRY_MAX_MS,
		.text = format,
		.arg = b,
	});
	return b;
}

static void keep(struct hls_bases *b, uint64_t next)
{
	if (b->save == NULL || b->kept == next)
		return;
	b->kept = next;
	save_touch(b->save);
}

void hls_bases_free(struct hls_bases **bp)
{
	struct hls_bases *b = *bp;

	if (b == NULL)
		return;
	keep(b, b->next);
	save_free(&b->save);
	free(b);
	*bp = NULL;
}

void hls_bases_note(struct hls_bases *b, uint64_t base)
{
	if (b == NULL || base < b->next || !is_sound(b, base))
		return;
	b->next = base + 1;
	if (b->next > b->kept)
		keep(b, b->next + AHEAD);
}

uint64_t hls_bases_next(const struct hls_bases *b)
{
	return b != NULL ? b->next : 0;
}
