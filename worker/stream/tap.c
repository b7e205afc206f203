/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/tap.h"

#include "common/base/units.h"
#include "proto/ipc/msg.h"

enum {
	/* Limits for a second.  They are low, because the status of the stream,
	 * which is its heartbeat, waits in the master behind these records. */
	RECORDS_PER_S = 200,
	BYTES_PER_S = 16 * 1024,
};

void tap_request(struct tap *t, const struct msg_stream_scan *m,
		 struct channel *channel, uint64_t now_ns)
{
	if (m->position == 0 || m->begin || m->position != t->position)
		tap_done(t);
	if (m->position == 0)
		return;
	t->until_ns = now_ns + SCAN_KEEP_S * SECOND_NS;
	if (t->feed != NULL)
		return;
	t->position = m->position;
	t->feed = record_feed_new(&(struct record_feed_config){
		.channel = channel,
		.position = m->position,
		.records_max = RECORDS_PER_S,
		.bytes_max = BYTES_PER_S,
	});
}

void tap_second(struct tap *t, uint64_t now_ns)
{
	if (t->feed != NULL && now_ns >= t->until_ns)
		tap_done(t);
	if (t->feed != NULL)
		record_feed_second(t->feed);
}

void tap_done(struct tap *t)
{
	record_feed_free(&t->feed);
	t->position = 0;
}
