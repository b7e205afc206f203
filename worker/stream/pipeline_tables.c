/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the own tables of a stream, and passes messages of the master to
 * them. */
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/wall.h"
#include "worker/stream/pipeline_state.h"

void pipeline_set_clock(struct pipeline *p, bool synchronised)
{
	if (p->tables != NULL)
		own_tables_set_clock(p->tables, synchronised);
	mux_stage_set_clock(&p->mux, synchronised);
}

void pipeline_set_network(struct pipeline *p, const json_t *streams)
{
	if (p->tables != NULL)
		own_tables_set_others(p->tables, streams);
}

bool pipeline_cue(struct pipeline *p, const struct msg_stream_cue *m,
		  struct errmsg *error)
{
	if (p->tables != NULL)
		return own_tables_cue(p->tables, m, mono_ns(), error);
	errmsg_set(error, "the stream has no cue_pid");
	return false;
}

void pipeline_guide(struct pipeline *p, const struct msg_stream_guide *m,
		    int fd)
{
	if (p->tables != NULL)
		own_tables_guide(p->tables, m, fd);
}

bool pipeline_has_own_eit(const struct pipeline *p)
{
	return p->tables != NULL && own_tables_eit(p->tables).rate_kbps > 0;
}

/* True if eit_slow is raised: own EIT need a higher rate than they have, so
 * their schedule is slower than its intervals. */
static bool is_slow(struct pipeline *p, const struct own_tables_eit *e)
{
	bool was = p->eit_slow.raised;

	(void)alarm_second(&p->eit_slow, e->need_kbps > e->rate_kbps,
			   wall_ms());
	if (p->eit_slow.raised && !was)
		log_warning("stream", "eit_slow: own EIT need %u kbit/s, and "
			    "eit_rate allows %u kbit/s: a cycle of the "
			    "schedule takes %u %% of its intended time: raise "
			    "eit_rate",
			    e->need_kbps, e->rate_kbps,
			    100 * e->need_kbps / e->rate_kbps);
	else if (was && !p->eit_slow.raised)
		log_info("stream", "alarm eit_slow ended");
	return p->eit_slow.raised;
}

/* True if eit_full is raised: some services have no own EIT, because there are
 * too many. */
static bool is_full(struct pipeline *p, const struct own_tables_eit *e)
{
	bool was = p->eit_full.raised;

	(void)alarm_second(&p->eit_full, e->left_out > 0, wall_ms());
	if (p->eit_full.raised && !was)
		log_warning("stream", "eit_full: own EIT are sent for at most "
			    "%d services: %zu more services have no own EIT: "
			    "shorten nit_other",
			    EIT_SERVICES_MAX, e->left_out);
	else if (was && !p->eit_full.raised)
		log_info("stream", "alarm eit_full ended");
	return p->eit_full.raised;
}

alarm_set pipeline_eit_alarms(struct pipeline *p)
{
	struct own_tables_eit e = { 0 };

	if (p->tables != NULL)
		e = own_tables_eit(p->tables);
	return (is_slow(p, &e) ? ALARM_BIT(ALARM_EIT_SLOW) : 0) |
	       (is_full(p, &e) ? ALARM_BIT(ALARM_EIT_FULL) : 0);
}

static bool find_input(uint16_t pnr, unsigned *ret_place,
		       uint16_t *ret_number, void *arg)
{
	const struct pipeline *p = arg;

	return mux_stage_find(&p->mux, pnr, ret_place, ret_number);
}

void pipeline_make_tables(struct pipeline *p,
			  const struct msg_stream_start *start,
			  struct stream_spec *spec, ts_out_fn *out)
{
	/* a multiplex has no cue_pid */
	if (p->mux.mux != NULL)
		spec->remux.cue_pid = 0;
	p->tables = own_tables_new(&(struct own_tables_config){
		.spec = spec,
		.psi = pipeline_psi(p),
		.versions = &p->memory->tables,
		.cc = p->mux.mux != NULL ? p->mux.live->table_cc
					 : p->memory->table_cc,
		.kbps = p->mux.mux != NULL ? spec->mux_kbps : 0,
		.cues = &p->memory->cues,
		.eit_versions = &p->memory->eit,
		.passed = &p->memory->passed,
		.scrambled = p->cas != NULL,
		/* bit 0: guide of the stream; higher bits: of its inputs */
		.guides = start->guide ? 1 | p->mux.guides : 0,
		.input_of = p->mux.mux != NULL ? find_input : NULL,
		.input_arg = p,
		.out = out,
		.arg = p,
	});
}
