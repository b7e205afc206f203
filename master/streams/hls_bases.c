/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/hls_bases.h"

#include "common/base/alloc.h"
#include "common/base/ring_segment.h"
#include "common/base/wall.h"
#include "common/document/document.h"
#include "common/document/save.h"

#include <stdlib.h>

enum {
	/* The number in the file is this much ahead of the last used one, so
	 * that not every new number needs a write. */
	AHEAD = 16,
	/* Limits for numbers of workers, which may be faulty.  Some players are
	 * slow with discontinuity numbers above a million. */
	/* lead over the clock, or over the number in the file at the start */
	LEAD_MAX = 100000,
	STEP_MAX = 10000,  /* lead over the last number, or over the clock */
	/* Greatest discontinuity number in the file.  ring_base_at() of the
	 * clock reaches it in 2045. */
	NEXT_MAX = 2000000,
	/* AHEAD and LEAD_MAX for media sequence numbers, which grow by about
	 * one a second. */
	NUMBER_AHEAD = 600,
	NUMBER_LEAD_MAX = 10000000,
	DELAY_MS = 1,
	RETRY_MIN_MS = 1000,
	RETRY_MAX_MS = 60000,
};

struct hls_bases {
	struct save *save; /* NULL: no file */
	/* least discontinuity number that no ring has used */
	uint64_t next;
	uint64_t loaded;   /* value of next at the start */
	uint64_t kept;     /* value of next in the file; 0: none */
	/* next, loaded and kept for media sequence numbers; number_loaded is
	 * the clock at the start, if that is greater */
	uint64_t number, number_loaded, number_kept;
};

static uint64_t clock_s(void)
{
	return wall_ms() / 1000;
}

static char *format(size_t *ret_len, void *arg)
{
	const struct hls_bases *b = arg;
	json_t *document = json_pack("{s:I, s:I}",
				     "next", (json_int_t)b->kept,
				     "segment", (json_int_t)b->number_kept);
	char *text = document_format(document, ret_len);

	json_decref(document);
	return text;
}

/* True: a worker may report this discontinuity number: it is not far ahead of
 * the clock and of earlier numbers, and with AHEAD it does not exceed
 * NEXT_MAX. */
static bool is_sound(const struct hls_bases *b, uint64_t base)
{
	uint64_t clock = ring_base_at(clock_s());

	return base <= MAX(clock, b->loaded) + LEAD_MAX &&
	       base <= MAX(clock, b->next) + STEP_MAX &&
	       base + 1 + AHEAD <= NEXT_MAX;
}

static bool is_sound_number(const struct hls_bases *b, uint64_t number)
{
	uint64_t clock = clock_s();

	return number <= MAX(clock, b->number_loaded) + NUMBER_LEAD_MAX &&
	       number <= MAX(clock, b->number) + STEP_MAX &&
	       number + 1 + NUMBER_AHEAD <= INT32_MAX;
}

/* Returns a number of the file, from 1 to most; 0: the file has no valid
 * one. */
static uint64_t read_number(const json_t *document, const char *key,
			    json_int_t most)
{
	json_int_t n = json_integer_value(json_object_get(document, key));

	return n > 0 && n <= most ? (uint64_t)n : 0;
}

static void load(struct hls_bases *b, const char *path)
{
	struct errmsg error;
	json_t *document = NULL;

	if (document_load(path, &document, &error) == 0) {
		b->next = read_number(document, "next", NEXT_MAX);
		b->number = read_number(document, "segment", INT32_MAX);
	}
	json_decref(document);
	b->kept = b->loaded = b->next;
	b->number_kept = b->number;
}

struct hls_bases *hls_bases_new(struct ev_loop *loop, const char *path)
{
	struct hls_bases *b = xcalloc(1, sizeof *b);

	if (path != NULL)
		load(b, path);
	b->number_loaded = MAX(b->number, clock_s());
	if (path == NULL)
		return b;
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

static void keep(struct hls_bases *b, uint64_t next, uint64_t number)
{
	if (b->save == NULL || (b->kept == next && b->number_kept == number))
		return;
	b->kept = next;
	b->number_kept = number;
	save_touch(b->save);
}

void hls_bases_free(struct hls_bases **bp)
{
	struct hls_bases *b = *bp;

	if (b == NULL)
		return;
	keep(b, b->next, b->number);
	save_free(&b->save);
	free(b);
	*bp = NULL;
}

static void note_base(struct hls_bases *b, uint64_t base)
{
	if (base < b->next || !is_sound(b, base))
		return;
	b->next = base + 1;
	if (b->next > b->kept)
		keep(b, b->next + AHEAD, b->number_kept);
}

static void note_number(struct hls_bases *b, uint64_t number)
{
	/* number 0: the ring has no segment */
	if (number == 0 || number < b->number || !is_sound_number(b, number))
		return;
	b->number = number + 1;
	if (b->number > b->number_kept && b->number > clock_s() + 1)
		keep(b, b->kept, b->number + NUMBER_AHEAD);
}

void hls_bases_note(struct hls_bases *b, uint64_t base, uint64_t number)
{
	if (b == NULL)
		return;
	note_base(b, base);
	note_number(b, number);
}

uint64_t hls_bases_next(const struct hls_bases *b)
{
	return b != NULL ? b->next : 0;
}

uint64_t hls_bases_next_number(const struct hls_bases *b)
{
	return b != NULL ? b->number : 0;
}
