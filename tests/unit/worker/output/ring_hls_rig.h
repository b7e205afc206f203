/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of pictures that has segments in its ring. */
#pragma once

#include "common/base/fd.h"
#include "common/base/ring_segment.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/ring_out.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>

#define START (5000 * MS)

enum { VIDEO = 0x101, PMT = 0x100 };

static const uint8_t idr[] = { 0, 0, 0, 1, 0x65, 0x88, 0x80, 0x10 };
static const uint8_t other[] = { 0, 0, 0, 1, 0x41, 0x9a, 0x80, 0x10 };

struct rig {
	int fd;
	struct psi *psi;
	struct ring_out *out;
	struct ring_reader *reader;
	struct build *in;
	uint64_t gop_ms; /* of add_picture() */
	uint64_t pcr_ms; /* between two PCRs; 0: a picture */
	size_t split;    /* bytes of a PES in its first packet; 0: all */
	bool indicates;  /* random access points have the indicator */
};

static inline void rig_init(struct rig *r)
{
	int err = 0;

	*r = (struct rig){ .gop_ms = 1000 };
	r->fd = ring_create(16 * RING_UNIT, 0);
	r->psi = psi_new();
	r->out = ring_out_new(r->fd, r->psi, &err);
	r->reader = ring_reader_new(r->fd, &err);
	cr_assert(r->out != NULL && r->reader != NULL);
	r->in = build_new();
	ring_out_set_hls(r->out, &(struct ring_out_hls){ 3000, 4, 0 });
	build_tables(r->in);
	for (size_t i = 0; i < r->in->n; i++)
		(void)psi_feed(r->psi, build_packet(r->in, i));
}

static inline void rig_done(struct rig *r)
{
	ring_out_free(&r->out);
	ring_reader_free(&r->reader);
	psi_free(&r->psi);
	build_free(r->in);
	fd_close(&r->fd);
}

/* A picture of 40 ms; its DTS and PCR are those of the time. */
static inline void add_picture(struct rig *r, uint64_t ms)
{
	bool key = ms % r->gop_ms == 0;
	struct pes_times at;
	uint8_t *p;

	if (r->pcr_ms == 0 || ms % r->pcr_ms == 0)
		(void)build_pcr(r->in, VIDEO, ms * 27000);
	p = build_pes(r->in, VIDEO, key ? idr : other,
		      key ? sizeof idr : sizeof other);
	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.pts, 90000 + ms * 90);
	p[5] |= key && r->indicates ? 0x40 : 0;
	if (r->split > 0)
		build_split(r->in, r->split);
	(void)build_payload(r->in, VIDEO, (uint8_t)ms);
}

/* Pictures that arrive together at this time. */
static inline void burst(struct rig *r, uint64_t from_ms, uint64_t to_ms,
			 uint64_t at_ms)
{
	struct ts_run run;

	r->in->n = 0;
	for (uint64_t ms = from_ms; ms < to_ms; ms += 40)
		add_picture(r, ms);
	run = build_run(r->in);
	ring_out_feed(r->out, &run, 1, START + at_ms * MS);
	ring_out_publish(r->out);
}

static inline void live(struct rig *r, uint64_t from_ms, uint64_t to_ms)
{
	for (uint64_t ms = from_ms; ms < to_ms; ms += 40)
		burst(r, ms, ms + 40, ms);
}

static inline void use_parts(struct rig *r, unsigned part_ms)
{
	int err;

	ring_out_free(&r->out);
	r->out = ring_out_new(r->fd, r->psi, &err);
	ring_out_set_hls(r->out,
			 &(struct ring_out_hls){ 2000, 4, part_ms });
}

static inline struct ring_segment newest(const struct rig *r,
					 struct ring_segments *list)
{
	ring_reader_segments(r->reader, 16 * RING_UNIT, list);
	cr_assert_geq(list->n, 2);
	return list->list[list->n - 1];
}
