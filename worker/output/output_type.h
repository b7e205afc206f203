/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an output is made of; only for the files of this folder and those that
 * make a kind of output. */
#pragma once

#include "worker/output/iat_out.h"
#include "worker/output/output.h"

struct output_ops {
	void (*free)(struct output *);
	/* NULL: its end waits for nothing. */
	void (*stop)(struct output *);
	void (*send)(struct output *, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns);
	int (*second)(struct output *, struct errmsg *why);
	/* NULL: it follows no addresses. */
	int (*follow)(struct output *, struct errmsg *why);
	/* NULL: it has no place that receivers know. */
	void (*go_on)(struct output *, struct rtp_state *);
	/* NULL: its protocol tells nothing.  *ret is all zero. */
	void (*stats)(const struct output *, struct link_stats *ret);
	/* NULL: an open one has none. */
	const char *(*trouble)(const struct output *);
	/* NULL: it fails instead. */
	bool (*is_cut)(const struct output *);
	/* NULL: it has no parts. */
	const char *(*part_trouble)(const struct output *);
	/* NULL: it has no connections. */
	const char *(*peer)(const struct output *);
	/* NULL: nobody calls it. */
	size_t (*receivers)(const struct output *, struct msg_receiver *ret,
			    size_t max);
	bool (*kick)(struct output *, uint64_t client);
};

/* The head of each kind's own struct. */
struct output {
	const struct output_ops *ops;
	const struct output_spec *spec;
	struct output_counters counters;
	struct departures departures; /* of kinds that note them ... */
	struct output_gap gap;        /* ... and it */
};

/* As output_open(). */
typedef struct output *output_open_fn(const struct output_spec *,
				      int *ret_err, struct errmsg *why);

output_open_fn udp_output_open;
output_open_fn file_output_open;
output_open_fn np_output_open;
output_open_fn rist_output_open;
output_open_fn srt_output_open;

/* NULL: this program has no library for the type (worker/openers.c). */
extern output_open_fn *const output_openers[OUTPUT_KINDS];
