/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interface that a type of input implements: an opener (worker/openers.c
 * lists them) and the functions of struct input_ops.  Only for files that
 * implement a type.
 */
#pragma once

#include "worker/input/input.h"

struct redundant_paths;
struct udp_flow;

/* The functions that input.h describes under the same names.  The comments here
 * say what input.c does for a NULL. */
struct input_ops {
	void (*free)(struct input *);
	int (*read)(struct input *, struct batch *, uint64_t now_ns,
		    struct errmsg *error);
	/* NULL: input_every_second() does nothing. */
	int (*every_second)(struct input *, uint64_t now_ns,
			    struct errmsg *error);
	/* NULL: the input has no counters.  *ret is zeroed before the call. */
	void (*counters)(const struct input *, struct input_counters *ret);
	/* NULL: the input delivers all packets. */
	void (*choose)(struct input *, const struct program_choice *);
	/* NULL: input_skips() returns NULL. */
	const struct ts_skips *(*skips)(const struct input *);
	/* NULL: input_warm() lists only struct input and the memory of its
	 * flow. */
	void (*warm)(const struct input *, struct prefetch *);
	/* NULL: input_hangs() returns false. */
	bool (*hangs)(const struct input *, uint64_t now_ns);
	/* NULL: input_stats() writes the counters of its flow.  *ret is zeroed
	 * before the call. */
	void (*stats)(const struct input *, struct link_stats *ret);
	/* NULL: input_error() returns the error of its paths or its flow. */
	const char *(*error)(const struct input *);
	/* NULL: input_unprotected() returns what its paths report. */
	const char *(*unprotected)(const struct input *);
	/* NULL: input_is_ready() returns true if the input has a descriptor.
	 * An input with this function counts as calling (input_is_calling())
	 * until it is ready. */
	bool (*is_ready)(const struct input *);
	/* NULL: input_can_be_silent() returns true; for a type with `peer' only
	 * while a peer is connected. */
	bool (*can_be_silent)(const struct input *);
	/* NULL: input_position() returns 0. */
	uint64_t (*position)(const struct input *);
	bool never_silent; /* input_can_be_silent() returns false */
	/* True: input_is_roomy() returns true.  False: that depends on the
	 * socket of its only flow. */
	bool roomy;
	/* NULL: the type has no connections. */
	const char *(*peer)(const struct input *);
	bool reopens; /* result of input_reopens() */
	/* NULL: input_renew() returns -ENOTSUP. */
	int (*renew)(struct input *, uint64_t now_ns, struct errmsg *error);
};

/* The head of each type's own struct. */
struct input {
	const struct input_ops *ops;
	const struct input_spec *spec;
	int fd; /* readable when packets wait, or -1 */
	/* the flow whose datagrams input_iat_in() measures; NULL: none */
	struct udp_flow *flow;
	/* state of its paths; NULL: there is only one path */
	const struct redundant_paths *paths;
	/* an input that receives the packets for this one, and provides its
	 * counters and errors; NULL: none */
	struct input *inner;
};

/* Opens an input of one type, as input_open(). */
typedef struct input *input_open_fn(const struct input_spec *,
				    uint64_t now_ns, int *ret_err,
				    struct errmsg *error);

/* Declares udp_input_open, rtp_input_open and so on. */
#define DECLARE_OPENER(KIND, name) extern input_open_fn name##_input_open;
INPUT_TYPES(DECLARE_OPENER, DECLARE_OPENER)
#undef DECLARE_OPENER

input_open_fn merge_input_open; /* opens an input with the option merge */

/* NULL: this program has no library for the type. */
extern input_open_fn *const input_openers[INPUT_KINDS];
