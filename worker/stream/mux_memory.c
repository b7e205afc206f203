/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/mux_memory.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEAD = 4, /* of a section */
	/* Older tables are those of another time. */
	RESTORE_S = 600,
};

/* --- what is kept --- */

struct keeping {
	struct mux_memory *to;
	size_t bytes;
	bool full;
};

static void put(uint16_t pid, const uint8_t *section, size_t len, void *arg)
{
	struct keeping *k = arg;
	uint8_t *p = k->to->sections + k->bytes;

	if (len > SECTION_PSI_MAX)
		return;
	k->full |= k->bytes + HEAD + len > MUX_MEMORY_BYTES;
	if (k->full)
		return;
	p[0] = (uint8_t)(pid >> 8);
	p[1] = (uint8_t)pid;
	p[2] = (uint8_t)(len >> 8);
	p[3] = (uint8_t)len;
	memcpy(p + HEAD, section, len);
	k->bytes += HEAD + len;
}

static void keep_input(struct keeping *k, const struct mux *m, size_t input,
		       uint64_t address, size_t *n_services)
{
	struct mux_memory_input *in = &k->to->inputs[input];
	size_t from = k->bytes;

	k->full = false;
	mux_keep_tables(m, input, put, k);
	if (k->full)
		k->bytes = from; /* a part is of no use */
	if (k->bytes == from)
		return;
	in->address = address;
	in->silent_ns = mux_silent_ns(m, input);
	in->bytes = (uint32_t)(k->bytes - from);
	in->services = (uint32_t)mux_keep_services(
		m, input, k->to->services + *n_services,
		MUX_MEMORY_SERVICES - *n_services);
	*n_services += in->services;
}

void mux_memory_keep(struct mux_memory *to, const struct mux *m,
		     const uint64_t *addresses, size_t n)
{
	struct mux_memory *now = xcalloc(1, sizeof *now);
	struct keeping k = { .to = now };
	size_t n_services = 0;

	now->whole = 1;
	for (size_t i = 0; i < n; i++)
		keep_input(&k, m, i, addresses[i], &n_services);
	if (memcmp(now, to, sizeof *now) != 0) {
		to->whole = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		memcpy((uint8_t *)to + sizeof to->whole,
		       (uint8_t *)now + sizeof now->whole,
		       sizeof *to - sizeof to->whole);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		to->whole = 1;
	}
	free(now);
}

/* --- the next worker --- */

static void restore_sections(struct mux *m, size_t input, const uint8_t *p,
			     size_t bytes)
{
	const uint8_t *end = p + bytes;
	uint8_t cc[TS_PIDS] = { 0 };

	while (end - p > HEAD) {
		uint16_t pid = (uint16_t)(p[0] << 8 | p[1]);
		size_t len = (size_t)(p[2] << 8 | p[3]);

		p += HEAD;
		if (len < 3 || len > (size_t)(end - p))
			return;
		mux_restore_section(m, input, pid, p, len, cc);
		p += len;
	}
}

static size_t find(const uint64_t *addresses, const bool *done, size_t n,
		   uint64_t address)
{
	size_t i = 0;

	while (i < n && (done[i] || addresses[i] != address))
		i++;
	return i;
}

/* The time in which no worker ran is none of a silence. */
static void delay(struct mux_memory *from, uint64_t by_ns)
{
	for (size_t i = 0; i < MSG_INPUTS_MAX; i++)
		if (from->inputs[i].silent_ns != 0)
			from->inputs[i].silent_ns += by_ns;
	for (size_t i = 0; i < MUX_MEMORY_SERVICES; i++)
		if (from->services[i].silent)
			from->services[i].heard_ns += by_ns;
}

static bool restore(const struct mux_memory *from, struct mux *m,
		    const uint64_t *addresses, size_t n, uint64_t now_ns)
{
	size_t bytes = 0, services = 0;
	bool done[MSG_INPUTS_MAX] = { false }, any = false;

	for (size_t i = 0; i < MSG_INPUTS_MAX; i++) {
		const struct mux_memory_input *in = &from->inputs[i];
		size_t to = find(addresses, done, n, in->address);

		if (in->bytes > MUX_MEMORY_BYTES - bytes ||
		    in->services > MUX_MEMORY_SERVICES - services)
			return any;
		if (in->bytes > 0 && to < n) {
			done[to] = any = true;
			mux_restore(m, to, in->silent_ns,
				    from->services + services, in->services,
				    now_ns);
			restore_sections(m, to, from->sections + bytes,
					 in->bytes);
		}
		bytes += in->bytes;
		services += in->services;
	}
	return any;
}

bool mux_memory_restore(struct mux_memory *memory, struct mux *m,
			const uint64_t *addresses, size_t n, uint64_t at_ns,
			uint64_t now_ns)
{
	struct mux_memory *from;
	bool any = false;

	if (!memory->whole)
		return false;
	from = xcalloc(1, sizeof *from);
	memcpy(from, memory, sizeof *from);
	memset(memory, 0, sizeof *memory);
	if (at_ns != 0 && at_ns <= now_ns &&
	    now_ns - at_ns <= RESTORE_S * SECOND_NS) {
		delay(from, now_ns - at_ns);
		any = restore(from, m, addresses, n, now_ns);
	}
	free(from);
	return any;
}
