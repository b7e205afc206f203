/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the master says about the own tables of a stream. */
#include "common/base/mono.h"
#include "worker/stream/pipeline_state.h"

void pipeline_set_clock(struct pipeline *p, bool synchronised)
{
	if (p->tables != NULL)
		own_tables_set_clock(p->tables, synchronised);
}

void pipeline_set_network(struct pipeline *p, const json_t *streams)
{
	if (p->tables != NULL)
		own_tables_set_others(p->tables, streams);
}

void pipeline_cue(struct pipeline *p, const struct msg_stream_cue *m)
{
	if (p->tables != NULL)
		own_tables_cue(p->tables, m, mono_ns());
}
