/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of TS packets in UDP datagrams without RTP. */
#include "common/base/alloc.h"
#include "worker/input/input_type.h"
#include "worker/input/udp_flow.h"

#include <stdlib.h>
#include <string.h>

struct udp_input {
	struct input base;
	struct udp_flow flow;
	struct batch *batch; /* valid during a read */
	struct ts_sync sync; /* the last member, because it is large */
};

static void on_received(const struct received *got, void *arg)
{
	struct udp_input *u = arg;

	/* every segment has whole packets: reads all segments at once */
	if (got->segment % TS_PACKET == 0) {
		batch_sync(u->batch, &u->sync, got->data, got->len);
		return;
	}
	for (size_t at = 0; at < got->len; at += got->segment)
		batch_sync(u->batch, &u->sync, got->data + at,
			   MIN(got->segment, got->len - at));
}

static void on_read(void *arg)
{
	struct udp_input *u = arg;

	batch_flush(u->batch);
}

static int udp_read(struct input *in, struct batch *batch, uint64_t now_ns,
		    struct errmsg *error)
{
	struct udp_input *u = container_of(in, struct udp_input, base);
	const struct udp_reader to = { .on_received = on_received,
				       .on_read = on_read, .arg = u };

	u->batch = batch;
	return udp_flow_read(&u->flow, &to, now_ns, error);
}

static int udp_every_second(struct input *in, uint64_t now_ns,
			    struct errmsg *error)
{
	struct udp_input *u = container_of(in, struct udp_input, base);

	int r = udp_flow_every_second(&u->flow, now_ns, error);

	in->fd = u->flow.fd;
	return r;
}

static void udp_counters(const struct input *in, struct input_counters *ret)
{
	const struct udp_input *u =
		container_of(in, const struct udp_input, base);

	*ret = (struct input_counters){
		.socket_drops = udp_flow_drops(&u->flow),
		.sync_losses = u->sync.sync_losses,
		.bad_sync = u->sync.bad_sync,
		.junk_bytes = u->sync.junk_bytes,
		.source_changes = u->flow.source_changes,
	};
}

static void udp_free(struct input *in)
{
	struct udp_input *u = container_of(in, struct udp_input, base);

	udp_flow_close(&u->flow);
	free(u);
}

static const struct input_ops udp_ops = {
	.free = udp_free,
	.read = udp_read,
	.every_second = udp_every_second,
	.counters = udp_counters,
};

struct input *udp_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *error)
{
	struct udp_input *u = xcalloc(1, sizeof *u);
	int r;

	udp_flow_describe(&u->flow, spec);
	r = udp_flow_open(&u->flow, now_ns, error);
	if (r < 0) {
		*ret_err = r;
		udp_free(&u->base);
		return NULL;
	}
	u->base = (struct input){ .ops = &udp_ops, .spec = spec,
				  .fd = u->flow.fd, .flow = &u->flow };
	ts_sync_init(&u->sync, TS_SYNC_DATAGRAM);
	return &u->base;
}
