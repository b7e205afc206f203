/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/join_point.h"

#include "common/base/alloc.h"

#include <stdlib.h>

struct entrance {
	struct psi *psi;
	struct cc_rewrite cc; /* of the packets that come next */
	uint64_t since_ns;    /* it is looked for; 0: not yet */
};

struct entrance *entrance_new(void)
{
	struct entrance *e = xcalloc(1, sizeof *e);

	e->psi = psi_new();
	return e;
}

void entrance_free(struct entrance **ptr)
{
	struct entrance *e = *ptr;

	*ptr = NULL;
	if (e == NULL)
		return;
	psi_free(&e->psi);
	free(e);
}

static void look(struct entrance *e, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	if (psi_class(e->psi, pid) != PID_PSI)
		return;
	if (ts_has_payload(packet))
		*cc_rewrite_next(&e->cc, pid) =
			(uint8_t)((ts_cc(packet) + 1) & 0x0f);
	(void)psi_feed(e->psi, packet);
}

void entrance_pass(struct entrance *e, const struct ts_run *run)
{
	for (size_t i = 0; i < run->n; i++)
		look(e, run->data + i * TS_PACKET);
}

size_t entrance_find(struct entrance *e, const struct ts_run *run,
		     uint64_t now_ns)
{
	if (e->since_ns == 0)
		e->since_ns = now_ns;
	for (size_t i = 0; i < run->n; i++) {
		const uint8_t *packet = run->data + i * TS_PACKET;

		if (start_point_is(e->psi, packet, psi_main_pid(e->psi),
				   now_ns - e->since_ns))
			return i;
		look(e, packet);
	}
	return run->n;
}

static void ignore(const uint8_t *packets, size_t n, void *arg)
{
	(void)packets, (void)n, (void)arg;
}

void entrance_tables(struct entrance *e, start_point_put_fn *put, void *arg)
{
	struct cc_rewrite end = e->cc;

	/* as many back as they take, which one only knows behind them */
	start_point_tables(e->psi, &e->cc, ignore, NULL);
	for (size_t pid = 0; pid < TS_PIDS; pid++)
		e->cc.out[pid] = (uint8_t)((2U * end.out[pid] + 16 -
					    e->cc.out[pid]) & 0x0f);
	start_point_tables(e->psi, &e->cc, put, arg);
}
