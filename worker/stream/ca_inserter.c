/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/ca_inserter.h"

#include "common/base/alloc.h"
#include "worker/remux/runs_out.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* After this many packets of the stream without a null packet, a packet
	 * is inserted between two packets: while ECMs wait (ECM_PATIENCE), and
	 * while only EMMs wait. */
	ECM_PATIENCE = 16,
	EMM_PATIENCE = 8,
};

struct queue {
	size_t first, n, size;
	uint8_t (*packets)[TS_PACKET];
};

struct ca_inserter {
	struct queue ecms, emms;
	/* packets passed while ECMs or EMMs wait, since the last insertion */
	unsigned since;
	uint8_t cc[TS_PIDS];
	struct runs_out out;
	uint8_t ecm_packets[CA_ECMS_MAX][TS_PACKET];
	uint8_t emm_packets[CA_EMMS_MAX][TS_PACKET];
};

struct ca_inserter *ca_inserter_new(ts_out_fn *out, void *arg)
{
	struct ca_inserter *c = xcalloc(1, sizeof *c);

	c->out.out = out;
	c->out.arg = arg;
	c->ecms = (struct queue){ .size = CA_ECMS_MAX,
				  .packets = c->ecm_packets };
	c->emms = (struct queue){ .size = CA_EMMS_MAX,
				  .packets = c->emm_packets };
	return c;
}

void ca_inserter_free(struct ca_inserter **c)
{
	free(*c);
	*c = NULL;
}

static uint8_t *packet_at(const struct queue *q, size_t i)
{
	return q->packets[(q->first + i) % q->size];
}

static bool push(struct queue *q, uint16_t pid, struct ts_run run)
{
	if (run.n > q->size - q->n)
		return false;
	for (size_t i = 0; i < run.n; i++) {
		uint8_t *p = memcpy(packet_at(q, q->n++),
				    run.data + i * TS_PACKET, TS_PACKET);

		ts_set_pid(p, pid);
	}
	return true;
}

bool ca_inserter_ecm(struct ca_inserter *c, uint16_t pid, struct ts_run run)
{
	return push(&c->ecms, pid, run);
}

bool ca_inserter_emm(struct ca_inserter *c, uint16_t pid, struct ts_run run)
{
	return push(&c->emms, pid, run);
}

void ca_inserter_drop_ecm(struct ca_inserter *c, uint16_t pid)
{
	struct queue *q = &c->ecms;
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++)
		if (ts_pid(packet_at(q, i)) != pid)
			memmove(packet_at(q, kept++), packet_at(q, i),
				TS_PACKET);
	q->n = kept;
}

bool ca_inserter_has(const struct ca_inserter *c, uint16_t pid)
{
	for (size_t i = 0; i < c->ecms.n; i++)
		if (ts_pid(packet_at(&c->ecms, i)) == pid)
			return true;
	return false;
}

/* Sends the oldest waiting packet: of an ECM, or else of an EMM. */
static void send(struct ca_inserter *c)
{
	struct queue *q = c->ecms.n > 0 ? &c->ecms : &c->emms;
	uint8_t *p = memcpy(runs_out_new(&c->out), packet_at(q, 0), TS_PACKET);
	uint8_t *cc = &c->cc[ts_pid(p)];

	ts_set_cc(p, *cc);
	*cc = (*cc + 1) & 0x0f;
	q->first = (q->first + 1) % q->size;
	q->n--;
	c->since = 0;
}

void ca_inserter_feed(struct ca_inserter *c, const struct ts_run *runs,
		      size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *packet = runs[i].data + k * TS_PACKET;
			bool waits = c->ecms.n + c->emms.n > 0;

			if (waits && ts_pid(packet) == TS_PID_NULL) {
				send(c);
				continue;
			}
			if (waits && ++c->since >= (c->ecms.n > 0
							    ? ECM_PATIENCE
							    : EMM_PATIENCE))
				send(c);
			runs_out_pass(&c->out, packet);
		}
	}
	runs_out_flush(&c->out);
}
