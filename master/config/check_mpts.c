/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the PIDs, service numbers and rates that the inputs of an mpts
 * request: two inputs cannot have the same PID or number. */
#include "common/base/alloc.h"
#include "master/config/judge.h"
#include "proto/ipc/msg.h"
#include "proto/spec/io_spec.h"

#include <stdlib.h>
#include <string.h>

struct demand {
	bool given; /* the address could be read */
	/* block of PIDs: first one, and the one behind the last */
	unsigned first, end;
	uint16_t number; /* set_pnr; 0: none */
	unsigned rate_min, rate_max; /* kbit/s; 0: none */
	size_t n_pids;
	uint16_t pids[REMUX_MAPS_MAX];
};

static void read_demand(const char *address, size_t i, struct demand *ret)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	const struct remux_options *o = &spec->remux;

	if (address != NULL &&
	    input_spec_parse(address, spec, NULL, NULL, NULL) == 0) {
		ret->given = true;
		ret->first = o->pid_base != 0 ? o->pid_base
					      : ((unsigned)i + 1) *
							PID_BLOCK_DEFAULT;
		ret->end = ret->first + (o->pid_block != 0
						 ? o->pid_block
						 : PID_BLOCK_DEFAULT);
		ret->number = o->set_pnr;
		ret->rate_min = o->rate_min;
		ret->rate_max = o->rate_max;
		ret->n_pids = o->n_maps;
		for (size_t k = 0; k < o->n_maps; k++)
			ret->pids[k] = o->maps[k].pid;
	}
	free(spec);
}

/* Returns a PID that both inputs request; 0: none. */
static uint16_t find_common(const struct demand *a, const struct demand *b)
{
	for (size_t i = 0; i < a->n_pids; i++)
		for (size_t k = 0; k < b->n_pids; k++)
			if (a->pids[i] == b->pids[k])
				return a->pids[i];
	return 0;
}

static void compare(struct judge *j, const struct demand *list, size_t i,
		    size_t other)
{
	const struct demand *a = &list[i], *b = &list[other];
	uint16_t pid = find_common(a, b);

	if (pid != 0)
		judge_add(j, CHECK_FAULT, "map: input[%zu] has PID %u, too",
			  other, pid);
	if (a->number != 0 && a->number == b->number)
		judge_add(j, CHECK_FAULT, "set_pnr: input[%zu] has the number "
			  "%u, too", other, a->number);
	if (a->first < b->end && b->first < a->end)
		judge_add(j, CHECK_FAULT, "pid_base: its block of PIDs, %u to "
					  "%u, overlaps that of input[%zu], %u "
					  "to %u", a->first,
			  a->end - 1, other, b->first, b->end - 1);
}

void judge_mpts(struct judge *j, const json_t *stream)
{
	const char *type = json_string_value(json_object_get(stream, "type"));
	json_int_t most = json_integer_value(json_object_get(stream,
							     "bitrate"));
	const json_t *list = json_object_get(stream, "input");
	size_t n = MIN(json_array_size(list), (size_t)MSG_INPUTS_MAX), mark;
	struct demand *demands;
	uint64_t sum = 0;

	if (n < 2 || type == NULL || strcmp(type, "mpts") != 0)
		return;
	demands = xcalloc(n, sizeof *demands);
	mark = judge_down(j, "input");
	for (size_t i = 0; i < n; i++) {
		size_t inner = judge_down_index(j, i);
		struct demand *d = &demands[i];

		read_demand(json_string_value(json_array_get(list, i)), i, d);
		if (d->given && d->end > MAP_PID_MAX + 1)
			judge_add(j, CHECK_FAULT, "pid_base: its block of PIDs "
						  "ends at %u, above %d",
				  d->end - 1, MAP_PID_MAX);
		/* of this input and of the inputs in front of it, in kbit/s */
		sum += d->rate_min;
		if (d->rate_max != 0 && d->rate_min > d->rate_max)
			judge_add(j, CHECK_FAULT, "rate_min: %u is above "
				  "rate_max, %u", d->rate_min, d->rate_max);
		if (d->rate_min != 0 && most > 0 && sum > (uint64_t)most)
			judge_add(j, CHECK_FAULT, "rate_min: the sum with the "
				  "inputs in front is %llu kbit/s, above the "
				  "bitrate, %lld kbit/s",
				  (unsigned long long)sum, (long long)most);
		for (size_t k = 0; k < i && d->given; k++)
			if (demands[k].given)
				compare(j, demands, i, k);
		judge_up(j, inner);
	}
	judge_up(j, mark);
	free(demands);
}
