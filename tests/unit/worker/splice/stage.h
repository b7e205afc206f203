/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A splice with a judge behind it, in a time of its own. */
#pragma once

#include "tests/helpers/judge.h"
#include "tests/unit/worker/splice/source.h"
#include "worker/splice/splice.h"

#define STAGE_MS UINT64_C(1000000)

struct stage {
	uint64_t now_ns;
	struct splice *splice;
	struct splice_continuity *state;
	struct judge judge;
	uint64_t packets;     /* that went out */
	const uint8_t *last;  /* the first run of the last call */
	uint8_t *data;        /* all that went out */
	size_t n, size;
};

void stage_init(struct stage *);
void stage_done(struct stage *);
/* For the next case: a new splice, with the buffer of the last one, which is
 * large. */
void stage_again(struct stage *);

/* As a worker that dies and the next one that continues. */
void stage_restart(struct stage *);

/* Plays a source for so long, in ticks of 10 ms. */
void stage_play(struct stage *, struct source *, unsigned ms);

/* Plays `from` while entry watches `to`, until it can be entered, and then
 * `to`, with the end of `from`, up to ms. */
void stage_change(struct stage *, struct source *from, struct source *to,
		  unsigned ms);

/* Time that passes, without a packet. */
void stage_wait(struct stage *, unsigned ms);

/* Fails the test if a receiver would find a fault. */
void stage_assert_flawless(const struct stage *);
