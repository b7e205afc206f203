/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/absent_file.h"

#include "common/base/alloc.h"
#include "proto/spec/remux_options.h"
#include "worker/input/input_keeper.h"
#include "worker/mux/mux.h"

#include <stdio.h>
#include <stdlib.h>

struct absent_file {
	struct mux *mux;
	size_t input;
	uint64_t now_ns; /* time of the current absent_file_turn() */
	struct input_keeper keeper;
	struct batch batch;
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct absent_file *f = arg;

	mux_feed_file(f->mux, f->input, runs, n_runs, f->now_ns);
}

struct absent_file *absent_file_new(struct mux *mux, size_t input,
				    const char *path)
{
	struct absent_file *f = xcalloc(1, sizeof *f);
	char address[ABSENT_PATH_MAX + 16], label[INPUT_LABEL_MAX];

	f->mux = mux;
	f->input = input;
	(void)snprintf(address, sizeof address, "file://%s#loop", path);
	(void)snprintf(label, sizeof label, "input %zu: absent", input + 1);
	input_keeper_init(&f->keeper, label, address);
	batch_init(&f->batch, on_packets, f);
	return f;
}

void absent_file_free(struct absent_file **ptr)
{
	struct absent_file *f = *ptr;

	*ptr = NULL;
	if (f == NULL)
		return;
	input_keeper_done(&f->keeper);
	free(f);
}

void absent_file_turn(struct absent_file *f, uint64_t now_ns)
{
	struct input_keeper *k = &f->keeper;

	if (!k->valid || !mux_wants_file(f->mux, f->input)) {
		if (k->input != NULL)
			input_keeper_close(k, now_ns);
		return;
	}
	f->now_ns = now_ns;
	if (k->input == NULL)
		input_keeper_open(k, now_ns);
	/* the keeper logs errors, and opens the file again later */
	if (k->input != NULL)
		(void)!input_keeper_read(k, &f->batch, now_ns);
}

void absent_file_second(struct absent_file *f, uint64_t now_ns)
{
	struct input_counters counters;

	if (f->keeper.input != NULL)
		input_keeper_every_second(&f->keeper, now_ns, &counters);
}
