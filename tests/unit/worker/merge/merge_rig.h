/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A synthetic stream, of which two copies lack packets, and the merge of them:
 * the bytes of a packet identify it in the model.
 */
#pragma once

#include "worker/merge/ts_merge.h"

enum {
	MODEL_PIDS = 4,
	MODEL_N = 8000, /* packets */
	MODEL_PER_MS = 4, /* so many a millisecond */
	MODEL_MS = MODEL_N / MODEL_PER_MS,
	RIG_DELAY_MS = 500,
};

struct model {
	uint8_t packets[MODEL_N][TS_PACKET];
	bool gone[MODEL_N][TS_MERGE_PATHS];
};

struct rig {
	struct ts_merge *merge;
	struct batch batch;
	uint64_t now_ns;
	size_t n;
	uint8_t out[2 * MODEL_N][TS_PACKET];
	struct model *model[TS_MERGE_PATHS]; /* its own */
};

struct rig *rig_new(void);
void rig_free(struct rig *);

/* Pictures and sound without repetition, a constant table every 25 ms, and null
 * packets. what: other bytes.  The rig's own. */
struct model *rig_make(struct rig *, unsigned path, uint32_t what);
bool model_is_null(const uint8_t *packet);

/* A path loses n packets. */
void model_lose(struct model *, unsigned path, size_t from, size_t n);

/* Feeds the packets of a path of one millisecond of the model. */
void rig_feed(struct rig *, const struct model *, int64_t ms, unsigned path);

/* Advances the clock to a millisecond and sends the packets that are due. */
void rig_step(struct rig *, int64_t ms);

/* Both paths to their ends, the second skew_ms behind the first. */
void rig_play(struct rig *, const struct model *, int64_t skew_ms);

/* A model on each path, to their ends. */
void rig_play_both(struct rig *, const struct model *,
		   const struct model *other);

/* Every packet that one path at least delivered was sent once, and in a known
 * order: where each path lacks packets of the other, that is by PID. */
void rig_judge(const struct rig *, const struct model *);
