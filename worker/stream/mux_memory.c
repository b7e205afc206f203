/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/mux_memory.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEAD = 4, /* bytes of PID and length in front of a section */
	/* Nothing is restored if no worker has run for longer than this. */
	RESTORE_S = 600,
};

/* --- what is kept --- */

/* One pass over the tables of the inputs: it compares them with the memory, or
 * writes them there. */
struct keeping {
	struct mux_memory *to;
	bool writes; /* true: writes; false: compares */
	bool differs;
	size_t bytes, services; /* how many the inputs so far have stored */
	bool full; /* the tables of the current input have no room */
};

static void put_bytes(struct keeping *k, void *to, const void *from, size_t len)
{
	if (k->writes)
		memcpy(to, from, len);
	else if (!k->differs)
		k->differs = memcmp(to, from, len) != 0;
}

static void put(uint16_t pid, const uint8_t *section, size_t len, void *arg)
{
	struct keeping *k = arg;
	uint8_t *p = k->to->sections + k->bytes;
	const uint8_t head[HEAD] = { (uint8_t)(pid >> 8), (uint8_t)pid,
				     (uint8_t)(len >> 8), (uint8_t)len };

	if (len > SECTION_PSI_MAX)
		return;
	k->full |= k->bytes + HEAD + len > MUX_MEMORY_BYTES;
	if (k->full)
		return;
	put_bytes(k, p, head, HEAD);
	put_bytes(k, p + HEAD, section, len);
	k->bytes += HEAD + len;
}

static void put_input(struct keeping *k, const struct mux *m, size_t input,
		      uint64_t address)
{
	struct mux_memory_input in = { 0 };
	struct mux_kept_service services[MUX_MEMORY_SERVICES];
	size_t from = k->bytes;

	k->full = false;
	mux_keep_tables(m, input, put, k);
	if (k->full)
		/* removes a part of the tables, which is of no use */
		k->bytes = from;
	if (k->bytes > from) {
		in.address = address;
		in.silent_ns = mux_silent_ns(m, input);
		in.bytes = (uint32_t)(k->bytes - from);
		in.services = (uint32_t)mux_keep_services(
			m, input, services, MUX_MEMORY_SERVICES - k->services);
		put_bytes(k, k->to->services + k->services, services,
			  in.services * sizeof *services);
		k->services += in.services;
	}
	put_bytes(k, &k->to->inputs[input], &in, sizeof in);
}

static void put_inputs(struct keeping *k, const struct mux *m,
		       const uint64_t *addresses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_input(k, m, i, addresses[i]);
	for (size_t i = n; i < MSG_INPUTS_MAX; i++)
		put_bytes(k, &k->to->inputs[i],
			  &(struct mux_memory_input){ 0 },
			  sizeof k->to->inputs[i]);
}

void mux_memory_keep(struct mux_memory *to, const struct mux *m,
		     const uint64_t *addresses, size_t n)
{
	struct keeping compared = { .to = to, .differs = !to->whole };
	struct keeping written = { .to = to, .writes = true };

	put_inputs(&compared, m, addresses, n);
	if (!compared.differs)
		return;
	to->whole = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	put_inputs(&written, m, addresses, n);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	to->whole = 1;
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

static bool restore(const struct mux_memory *from, struct mux *m,
		    const uint64_t *addresses, size_t n, uint64_t now_ns)
{
	size_t bytes = 0, services = 0;
	bool done[MSG_INPUTS_MAX] = { false }, any = false;

	for (size_t i = 0; i < MSG_INPUTS_MAX; i++) {
		const struct mux_memory_input *in = &from->inputs[i];
		size_t to = 0;

		while (to < n && (done[to] || addresses[to] != in->address))
			to++;
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
		/* the time in which no worker ran does not count as silence of
		 * an input or service */
		for (size_t i = 0; i < MSG_INPUTS_MAX; i++)
			if (from->inputs[i].silent_ns != 0)
				from->inputs[i].silent_ns += now_ns - at_ns;
		for (size_t i = 0; i < MUX_MEMORY_SERVICES; i++)
			if (from->services[i].silent)
				from->services[i].heard_ns += now_ns - at_ns;
		any = restore(from, m, addresses, n, now_ns);
	}
	if (any)
		mux_end_restore(m);
	free(from);
	return any;
}
