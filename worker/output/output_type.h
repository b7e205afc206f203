/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between output.c and the types of outputs. */
#pragma once

#include "worker/output/iat_out.h"
#include "worker/output/output.h"

struct output_ops {
	void (*free)(struct output *);
	/* NULL: the output stops at once. */
	void (*stop)(struct output *);
	void (*send)(struct output *, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns);
	int (*every_second)(struct output *, struct errmsg *error);
	/* NULL: the output ignores changes of addresses. */
	int (*follow)(struct output *, struct errmsg *error);
	/* NULL: the protocol has no sequence. */
	void (*resume_rtp)(struct output *, struct rtp_state *);
	/* NULL: the protocol measures nothing.  *ret is all zero. */
	void (*stats)(const struct output *, struct link_stats *ret);
	/* NULL: an open output has no error. */
	const char *(*error)(const struct output *);
	/* NULL: an output without receiver or room fails. */
	bool (*is_disconnected)(const struct output *);
	/* NULL: the output has no parts. */
	const char *(*part_error)(const struct output *);
	/* NULL: the output has no connections. */
	const char *(*peer)(const struct output *);
	/* NULL: the output accepts no receivers. */
	size_t (*receivers)(const struct output *, struct msg_receiver *ret,
			    size_t max);
	bool (*kick)(struct output *, uint64_t client);
	/* NULL: the output does not ask the master about callers. */
	bool (*answer)(struct output *, const struct msg_deliver_answer *,
		       uint32_t seq);
	/* NULL if answer is NULL. */
	void (*review)(struct output *, uint64_t client);
};

/* First member of the struct of each type. */
struct output {
	const struct output_ops *ops;
	const struct output_spec *spec;
	struct asker *asker; /* borrowed */
	struct scrambler *scrambler; /* borrowed; NULL: it sends in the clear */
	struct output_counters counters;
	struct iat_out iat;    /* all zero if the type does not measure it */
	struct output_gap gap; /* all zero if the type does not measure it */
};

/* As output_open(). */
typedef struct output *output_open_fn(const struct output_spec *,
				      int *ret_err, struct errmsg *error);

output_open_fn udp_output_open;
output_open_fn file_output_open;
output_open_fn np_output_open;
output_open_fn rist_output_open;
output_open_fn srt_output_open;

/* NULL: this program has no library for the type (worker/openers.c). */
extern output_open_fn *const output_openers[OUTPUT_KINDS];
