/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the packets that an input reads from a multiplex in the ring of
 * another worker: those of one program, if the stream sends only that
 * program. */
#include "worker/stream/input_chain.h"

void chain_choose(struct input_chain *l, const struct stream_spec *stream)
{
	const struct input_spec *spec = &l->keeper.spec;
	struct remux_options options = spec->remux;

	/* T2-MI packs its programs into one PID: the source cannot select
	 * them */
	if (!input_kind_is_link(spec->kind) || options.pnr == 0 || spec->t2mi)
		return;
	remux_options_overlay(&options, &stream->remux);
	l->choice = (struct program_choice){
		.number = options.pnr,
		/* the tables of the output may list EMMs, and softcams decode
		 * them */
		.emms = options.pass_ca || options.cat == TABLE_PASS ||
			spec->cams.n > 0,
		.pids = { spec->ecm_pid, options.set_pcr_pid },
	};
	input_keeper_choose(&l->keeper, &l->choice);
}

void chain_show_tables(struct input_chain *l, bool all)
{
	if (l->choice.number == 0 || l->choice.tables == all)
		return;
	l->choice.tables = all;
	input_keeper_choose(&l->keeper, &l->choice);
}
