/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A writer that continues the counters of the one before it: for which PIDs,
 * and for how long. */
#include "common/base/units.h"
#include "worker/output/ring_out.h"

#include "common/base/fd.h"
#include "common/base/ring.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/psi.h"

#include <criterion/criterion.h>
#include <unistd.h>

#define START (5000 * MS)

enum { STEADY = 0x101, SOON = 0x102, LATE = 0x103 };

/* A packet of the output: its PID, and its counters before and behind. */
struct passed {
	uint16_t pid;
	uint8_t in, out;
};

static struct ring_out *writer(int fd, const struct psi *psi)
{
	int err = 0;
	struct ring_out *out = ring_out_new(fd, psi, &err);

	cr_assert_not_null(out, "%d", err);
	return out;
}

/* Feeds one run and asserts what the ring has from packet *at on. */
static void pass(struct ring_out *out, int fd, size_t *at,
		 const struct passed *list, size_t n, uint64_t now_ns)
{
	struct build *b = build_new();
	struct ts_run run;

	for (size_t i = 0; i < n; i++)
		ts_set_cc(build_payload(b, list[i].pid, (uint8_t)i),
			  list[i].in);
	run = build_run(b);
	ring_out_feed(out, &run, 1, now_ns);
	ring_out_publish(out);
	for (size_t i = 0; i < n; i++, ++*at) {
		uint8_t p[TS_PACKET];

		cr_assert_eq(pread(fd, p, sizeof p,
				   (off_t)(RING_DATA + *at * TS_PACKET)),
			     (ssize_t)sizeof p);
		cr_assert_eq(ts_pid(p), list[i].pid, "packet %zu", *at);
		cr_assert_eq(ts_cc(p), list[i].out, "packet %zu", *at);
		cr_assert_eq(p[TS_PACKET - 1], i, "packet %zu", *at);
	}
	build_free(b);
}

Test(ring_resume, continues_the_counters_of_pids_that_return_in_a_minute)
{
	static const struct passed first[] = {
		{ STEADY, 3, 3 }, { SOON, 0, 0 }, { LATE, 0, 0 },
	};
	/* packets between them were lost with the writer */
	static const struct passed begin[] = { { STEADY, 4, 4 } };
	static const struct passed soon[] = {
		{ STEADY, 5, 5 }, { SOON, 6, 1 }, { STEADY, 6, 6 },
		{ STEADY, 7, 7 }, { SOON, 7, 2 },
	};
	static const struct passed late[] = {
		{ SOON, 8, 3 }, { LATE, 6, 6 }, { STEADY, 8, 8 },
	};
	int fd = ring_create(16 * RING_UNIT, 0);
	struct psi *psi = psi_new();
	struct ring_out *out = writer(fd, psi);
	size_t at = 0;

	pass(out, fd, &at, first, ARRAY_LEN(first), START);
	ring_out_free(&out);
	out = writer(fd, psi);
	pass(out, fd, &at, begin, ARRAY_LEN(begin), START);
	pass(out, fd, &at, soon, ARRAY_LEN(soon), START + 59000 * MS);
	pass(out, fd, &at, late, ARRAY_LEN(late), START + 60000 * MS);
	ring_out_free(&out);
	psi_free(&psi);
	fd_close(&fd);
}
