/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/address_source.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/units.h"
#include "worker/input/input_keeper.h"

#include <stdlib.h>

struct address_source {
	struct source base;
	struct input_keeper keeper;
	uint64_t lost;
	uint64_t received_ns; /* end of the last second with packets */
};

static int read_packets(struct source *source, struct batch *batch,
			uint64_t now_ns)
{
	struct address_source *s =
		container_of(source, struct address_source, base);

	if (s->keeper.input == NULL)
		input_keeper_open(&s->keeper, now_ns);
	return s->keeper.input != NULL
		       ? input_keeper_read(&s->keeper, batch, now_ns)
		       : 0;
}

static void every_second(struct source *source, uint64_t now_ns,
			 struct source_report *ret)
{
	struct address_source *s =
		container_of(source, struct address_source, base);
	struct input_counters counters;

	input_keeper_every_second(&s->keeper, now_ns, &counters);
	s->lost += counters.lost + counters.socket_drops;
	ret->lost = s->lost;
	ret->lock = s->keeper.received;
	ret->error = input_keeper_error(&s->keeper);
	if (s->keeper.received)
		s->received_ns = now_ns;
	else if (ret->error == NULL && now_ns - s->received_ns >= SECOND_NS)
		ret->error = "no packets";
	s->keeper.received = false;
}

static void source_free(struct source *source)
{
	struct address_source *s =
		container_of(source, struct address_source, base);

	input_keeper_done(&s->keeper);
	free(s);
}

static bool give_ring(struct source *source, const char *stream, int fd)
{
	struct address_source *s =
		container_of(source, struct address_source, base);

	return input_keeper_link(&s->keeper, stream, fd);
}

static void rename_stream(struct source *source, const char *from,
			  const char *to)
{
	struct address_source *s =
		container_of(source, struct address_source, base);

	input_keeper_rename(&s->keeper, from, to);
}

static bool is_roomy(const struct source *source)
{
	const struct address_source *s =
		container_of(source, const struct address_source, base);

	return s->keeper.input != NULL && input_is_roomy(s->keeper.input);
}

static const struct source_ops ops = {
	.free = source_free,
	.read = read_packets,
	.every_second = every_second,
	.link = give_ring,
	.rename = rename_stream,
	.roomy = is_roomy,
};

struct source *address_source_open(const json_t *adapter, struct ev_loop *loop,
				   uint64_t now_ns)
{
	struct address_source *s = xcalloc(1, sizeof *s);
	const char *address =
		json_string_value(json_object_get(adapter, "address"));

	(void)loop;
	s->base.ops = &ops;
	s->received_ns = now_ns;
	input_keeper_init(&s->keeper, "address", address != NULL ? address
								 : "");
	input_keeper_open(&s->keeper, now_ns);
	return &s->base;
}
