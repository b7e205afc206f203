/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of silent inputs, across two multiplexes of a stream. */
#include "worker/stream/mux_memory.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/mux/fill_rig.h"
#include "worker/ts/pcr.h"
#include "worker/ts/psi.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { STOPPED_MS = 700 };

static const uint64_t addresses[] = { 11, 12 };

struct memory {
	struct mux_memory *m;
	struct fill_rig *rig;
};

static struct memory start(unsigned absent_ms)
{
	struct memory t = { xcalloc(1, sizeof *t.m),
			    fill_rig_of(&(struct fill_options){
				    .kbps = KBPS, .absent_ms = absent_ms }) };

	fill_play(t.rig, 300);
	return t;
}

static void end(struct memory *t)
{
	fill_rig_free(t->rig);
	free(t->m);
}

/* The mux ends, and another one begins later. */
static void replace(struct memory *t, const uint64_t ids[2])
{
	struct fill_rig *r = t->rig;
	uint64_t at_ns = r->now_ns;
	struct fill_rig_last last;

	mux_memory_keep(t->m, r->mux, addresses, 2);
	last = fill_rig_replace(r);
	r->now_ns += STOPPED_MS * MS;
	r->pcr += STOPPED_MS * (PCR_HZ / 1000);
	r->restores = true;
	mux_memory_restore(t->m, r->mux, ids, 2, at_ns, r->now_ns);
	r->restores = false;
	fill_rig_drop(&last);
	r->pats = r->sdts = 0;
}

static size_t programs(const struct fill_rig *r)
{
	const struct psi_program *list;

	return psi_programs(mux_psi(r->mux), &list);
}

Test(mux_memory, a_silent_input_stays_in_the_tables_with_their_versions)
{
	struct memory t = start(0);
	struct fill_rig *r = t.rig;

	r->dead = true;
	fill_play(r, 200);
	cr_assert_eq(r->stopped, 2u);
	replace(&t, addresses);
	fill_play(r, 300);
	cr_expect_eq(programs(r), 3u);
	cr_expect_eq(r->stopped, 2u);
	cr_expect_eq(r->pats, 0u);
	cr_expect_eq(r->sdts, 0u);
	r->dead = false;
	fill_play(r, 300);
	cr_expect_eq(r->stopped, 0u);
	cr_expect_eq(r->pats, 0u);
	fill_watch(r, VIDEO_OUT);
	fill_play(r, 100);
	cr_expect_geq(r->sent[VIDEO_OUT].n, 390u);
	end(&t);
}

Test(mux_memory, inputs_with_packets_keep_their_versions)
{
	struct memory t = start(0);
	struct fill_rig *r = t.rig;

	replace(&t, addresses);
	fill_play(r, 300);
	cr_expect_eq(programs(r), 3u);
	cr_expect_eq(r->stopped, 0u);
	cr_expect_eq(r->pats + r->sdts, 0u);
	end(&t);
}

Test(mux_memory, services_that_no_source_lists_stay_in_the_sdt)
{
	struct memory t = { xcalloc(1, sizeof *t.m),
			    fill_rig_of(&(struct fill_options){
				    .kbps = KBPS }) };
	struct fill_rig *r = t.rig;

	r->no_sdt = true;
	fill_play(r, 700);
	cr_assert_neq(r->last_service, 0u);
	replace(&t, addresses);
	r->last_service = 0;
	fill_play(r, 300);
	cr_expect_neq(r->last_service, 0u);
	cr_expect_eq(r->sdts, 0u);
	end(&t);
}

Test(mux_memory, packets_in_front_of_the_first_turn_are_sent)
{
	struct memory t = start(0);
	size_t waiting;

	fill_play(t.rig, 5);
	replace(&t, addresses);
	/* this tick has no tables */
	cr_assert_neq(t.rig->ticks % 10, 0u);
	fill_play(t.rig, 1);
	cr_expect_geq(mux_queued(t.rig->mux, 0, &waiting),
		      (uint64_t)t.rig->per_tick[0]);
	end(&t);
}

Test(mux_memory, an_absent_service_stays_absent)
{
	struct memory t = start(1000);
	struct fill_rig *r = t.rig;

	r->off = 1;
	fill_play(r, 250);
	cr_assert(fill_state(r, 1).absent);
	replace(&t, addresses);
	fill_play(r, 50);
	cr_expect(fill_state(r, 1).absent);
	cr_expect_eq(programs(r), 2u);
	cr_expect_eq(r->pats + r->sdts, 0u);
	/* it waits for a picture, also behind another mux */
	r->off = 0;
	r->group = UINT32_MAX;
	fill_play(r, 20);
	replace(&t, addresses);
	fill_play(r, 100);
	cr_expect(fill_state(r, 1).absent);
	r->group = GROUP;
	fill_play(r, 100);
	cr_expect(!fill_state(r, 1).absent);
	end(&t);
}

/* The time without a multiplex is none of the silence. */
Test(mux_memory, a_silent_input_leaves_after_its_time)
{
	struct memory t = start(2000);
	struct fill_rig *r = t.rig;

	r->dead = true;
	fill_play(r, 100);
	replace(&t, addresses);
	fill_play(r, 70);
	cr_expect_eq(programs(r), 3u);
	fill_play(r, 60);
	cr_expect(fill_state(r, 0).absent);
	cr_expect_eq(programs(r), 1u);
	end(&t);
}

Test(mux_memory, another_input_is_not_that_one)
{
	struct memory t = start(0);
	struct fill_rig *r = t.rig;

	r->dead = true;
	fill_play(r, 100);
	replace(&t, (const uint64_t[]){ 13, 12 });
	fill_play(r, 100);
	cr_expect_eq(programs(r), 1u);
	end(&t);
}

/* The address of an input does not tell its block: that follows from the other
 * inputs, too. */
Test(mux_memory, cat_and_sdt_of_a_silent_input_have_the_pids_of_its_new_block)
{
	struct memory t = start(0);
	struct fill_rig *r = t.rig;
	uint16_t service, emm_pid;

	r->has_cat = true;
	fill_play(r, 200);
	service = r->last_service;
	emm_pid = r->emm_pid;
	cr_assert_neq(emm_pid, 0u);
	r->dead = r->other_dead = true;
	fill_play(r, 100);
	/* the same block */
	replace(&t, addresses);
	fill_play(r, 200);
	cr_expect_eq(r->last_service, service, "%u", r->last_service);
	cr_expect_eq(r->emm_pid, emm_pid, "%u", r->emm_pid);
	cr_expect_eq(r->stopped, 3u, "%u", r->stopped);
	cr_expect_eq(r->pats + r->sdts, 0u);
	/* another one */
	r->options.base = 1000;
	replace(&t, addresses);
	fill_play(r, 200);
	cr_expect_eq(r->last_service, service + 1000, "%u", r->last_service);
	cr_expect_eq(r->emm_pid, emm_pid + 1000, "%u", r->emm_pid);
	cr_expect_eq(r->stopped, 3u, "%u", r->stopped);
	end(&t);
}

Test(mux_memory, a_damaged_one_does_no_harm)
{
	for (unsigned i = 0; i < 10; i++) {
		struct memory t = start(i % 2 * 1000);
		struct fill_rig *r = t.rig;
		unsigned seed = i;

		r->dead = true;
		mux_memory_keep(t.m, r->mux, addresses, 2);
		for (unsigned k = 0; k < 200; k++) {
			size_t at = (size_t)rand_r(&seed) %
				    (k % 4 == 0 ? sizeof *t.m : (size_t)2000);

			((uint8_t *)t.m)[at] = (uint8_t)rand_r(&seed);
		}
		t.m->whole = 1;
		struct fill_rig_last last = fill_rig_replace(r);

		mux_memory_restore(t.m, r->mux, addresses, 2, r->now_ns,
				   r->now_ns);
		fill_rig_drop(&last);
		cr_expect_eq(t.m->whole, 0u);
		fill_play(r, 30);
		end(&t);
	}
}
