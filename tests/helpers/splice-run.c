/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays files as a stream that changes from one to the next again and again,
 * in a time of its own, as fast as it can.
 *
 *	splice-run OUT SWITCHES MS FILE FILE...
 *
 * Every MS the next file is wanted, make before break: the one before goes on
 * until the next can be entered.  OUT.ts gets what went out, and OUT.record
 * the same with its times in the form of udp-record.  Says what the splice
 * counted.  A FILE "-" is the filler.
 */
#include "common/base/units.h"
#include "proto/spec/io_spec.h"
#include "worker/filler/filler.h"
#include "worker/input/file_reader.h"
#include "worker/input/input.h"
#include "worker/splice/splice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOURCES_MAX = 8, TICK_MS = 10, PER_RECORD = 7 };

struct source {
	struct input_spec spec;
	struct input *input; /* NULL: the filler */
	struct switch_point *entry;
};

struct run {
	FILE *record;
	FILE *ts;
	uint64_t now_ns;
	struct splice *splice;
	struct psi *psi;     /* of the output */
	struct filler *filler;
	bool filling;
	size_t n_sources;
	struct source sources[SOURCES_MAX];
	size_t active, wanted;
	size_t reading; /* the source of the packets of the batch */
	size_t leaving; /* the source whose last units must end */
	unsigned long switched;
	struct batch batch;
};

const struct file_block *__real_file_reader_peek(const struct file_reader *);
const struct file_block *__wrap_file_reader_peek(const struct file_reader *);

/* The simulated time stops while the disk is read. */
const struct file_block *__wrap_file_reader_peek(const struct file_reader *f)
{
	const struct file_block *b;

	while ((b = __real_file_reader_peek(f)) == NULL)
		(void)usleep(50);
	return b;
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct run *r = arg;

	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k += PER_RECORD) {
			size_t n = runs[i].n - k;

			n = n < PER_RECORD ? n : PER_RECORD;
			uint16_t head[2] = { 0, (uint16_t)(n * TS_PACKET) };

			(void)fwrite(&r->now_ns, sizeof r->now_ns, 1,
				     r->record);
			(void)fwrite(head, sizeof head, 1, r->record);
			(void)fwrite(runs[i].data + k * TS_PACKET, TS_PACKET, n,
				     r->record);
		}
		(void)fwrite(runs[i].data, TS_PACKET, runs[i].n, r->ts);
		for (size_t k = 0; k < runs[i].n; k++)
			(void)psi_feed(r->psi, runs[i].data + k * TS_PACKET);
	}
	if (!r->filling)
		filler_feed(r->filler, runs, n_runs);
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct run *r = arg;
	struct ts_run rest[BATCH_RUNS + 1];
	size_t n_rest, reading = r->reading;
	struct switch_point *entry = r->sources[reading].entry;

	if (switch_point_feed(entry, runs, n_runs, r->now_ns, rest, &n_rest)) {
		r->leaving = r->active;
		r->active = reading;
		r->switched++;
		r->filling = r->sources[reading].input == NULL;
		splice_cut(r->splice, entry, true, r->now_ns);
		splice_feed(r->splice, rest, n_rest, r->now_ns);
	} else if (reading == r->active) {
		splice_feed(r->splice, runs, n_runs, r->now_ns);
	} else if (reading == r->leaving &&
		   splice_is_draining(r->splice, r->now_ns)) {
		splice_drain(r->splice, runs, n_runs, r->now_ns);
	}
}

static void open_source(struct run *r, const char *file)
{
	struct source *s = &r->sources[r->n_sources++];
	struct errmsg why;
	char address[4096];
	int err;

	s->entry = switch_point_new(NULL);
	if (strcmp(file, "-") == 0)
		return;
	(void)snprintf(address, sizeof address, "file://%s#loop", file);
	if (input_spec_parse(address, &s->spec, NULL, NULL, &why) == 0)
		s->input = input_open(&s->spec, r->now_ns, &err, &why);
	if (s->input == NULL) {
		(void)fprintf(stderr, "%s: %s\n", address, why.text);
		exit(1);
	}
}

/* From now on the next file is requested. */
static void want_next(struct run *r)
{
	struct source *s;

	r->wanted = (r->wanted + 1) % r->n_sources;
	s = &r->sources[r->wanted];
	if (s->input == NULL) {
		if (!filler_is_ready(r->filler)) {
			(void)fprintf(stderr, "the filler is empty\n");
			exit(1);
		}
		switch_point_reset(s->entry);
		filler_start(r->filler, r->now_ns);
	}
	switch_point_want(s->entry, SWITCH_POINT_WAIT_MS, r->now_ns);
}

static void read_source(struct run *r, struct source *s)
{
	struct errmsg why;

	r->reading = (size_t)(s - r->sources);
	if (s->input == NULL) {
		filler_run(r->filler, r->now_ns, on_packets, r);
	} else if (input_read(s->input, &r->batch, r->now_ns, &why) < 0) {
		(void)fprintf(stderr, "%s\n", why.text);
		exit(1);
	}
}

static FILE *create(const char *name, const char *suffix)
{
	char path[4096];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s.%s", name, suffix);
	file = fopen(path, "wb");
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	return file;
}

static void tick(struct run *r)
{
	r->now_ns += TICK_MS * MS;
	for (size_t i = 0; i < r->n_sources; i++)
		read_source(r, &r->sources[i]);
}

int main(int argc, char **argv)
{
	struct run *r = calloc(1, sizeof *r);
	struct splice_counters counted;

	if (argc < 5 || argc > 4 + SOURCES_MAX || r == NULL)
		return 2;

	unsigned long switches = strtoul(argv[2], NULL, 10);
	uint64_t every_ns = strtoul(argv[3], NULL, 10) * MS;

	r->record = create(argv[1], "record");
	r->ts = create(argv[1], "ts");
	r->now_ns = 1000000 * MS;
	r->splice = splice_new(&(struct splice_config){ .out = on_out,
							.arg = r });
	r->psi = psi_new();
	r->filler = filler_new(r->psi);
	batch_init(&r->batch, on_packets, r);
	for (int i = 4; i < argc; i++)
		open_source(r, argv[i]);

	uint64_t next_ns = r->now_ns + every_ns;

	while (r->switched < switches || r->now_ns < next_ns) {
		if (r->now_ns >= next_ns && r->wanted == r->active) {
			next_ns += every_ns;
			want_next(r);
		}
		tick(r);
	}
	splice_counters(r->splice, &counted);
	(void)printf("{\"switched\": %lu, \"cuts\": %" PRIu64
		     ", \"jumps\": %" PRIu64 ", \"dropped\": %" PRIu64 "}\n",
		     r->switched, counted.cuts, counted.jumps,
		     counted.dropped);
	splice_free(&r->splice);
	filler_free(&r->filler);
	psi_free(&r->psi);
	for (size_t i = 0; i < r->n_sources; i++) {
		input_free(&r->sources[i].input);
		switch_point_free(&r->sources[i].entry);
	}
	(void)fclose(r->record);
	(void)fclose(r->ts);
	free(r);
	return 0;
}
