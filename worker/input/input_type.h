/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a type of input provides: an opener (worker/openers.c lists them) and
 * the functions of struct input_ops.  Only for files that implement a type.
 */
#pragma once

#include "worker/input/input.h"

struct redundant_paths;
struct udp_flow;

/* input.h describes each function under the same name. */
struct input_ops {
	void (*free)(struct input *);
	int (*read)(struct input *, struct batch *, uint64_t now_ns,
		    struct errmsg *error);
	/* NULL: nothing to maintain. */
	int (*every_second)(struct input *, uint64_t now_ns,
			    struct errmsg *error);
	/* NULL: no counters.  *ret is all zero. */
	void (*counters)(const struct input *, struct input_counters *ret);
	/* NULL: the head of its struct, and its flow. */
	void (*warm)(const struct input *, struct warm *);
	/* NULL: never. */
	bool (*hangs)(const struct input *, uint64_t now_ns);
	/* NULL: those of its flow.  *ret is all zero. */
	void (*stats)(const struct input *, struct link_stats *ret);
	/* NULL: that of its paths or its flow. */
	const char *(*error)(const struct input *);
	/* NULL: that of its paths. */
	const char *(*unprotected)(const struct input *);
	/* NULL: when it has a descriptor. */
	bool (*is_ready)(const struct input *);
	/* NULL: never. */
	bool (*is_calling)(const struct input *);
	/* NULL: always, unless never_silent. */
	bool (*can_be_silent)(const struct input *);
	bool never_silent;
	/* NULL: it has no connections. */
	const char *(*peer)(const struct input *);
	bool reopens;
};

/* The head of each type's own struct. */
struct input {
	const struct input_ops *ops;
	const struct input_spec *spec;
	int fd; /* readable when packets wait, or -1 */
	struct udp_flow *flow; /* its datagrams are measured; or NULL */
	const struct redundant_paths *paths; /* NULL: only one */
	struct input *inner; /* does its work and answers for it, or NULL */
};

/* As input_open(). */
typedef struct input *input_open_fn(const struct input_spec *,
				    uint64_t now_ns, int *ret_err,
				    struct errmsg *error);

/* udp_input_open, rtp_input_open ... */
#define DECLARE_OPENER(KIND, name) extern input_open_fn name##_input_open;
INPUT_TYPES(DECLARE_OPENER, DECLARE_OPENER)
#undef DECLARE_OPENER

input_open_fn merge_input_open; /* for the option merge */

/* NULL: this program has no library for the type. */
extern input_open_fn *const input_openers[INPUT_KINDS];
