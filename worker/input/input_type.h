/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an input is made of; only for the files of this folder. */
#pragma once

#include "worker/input/input.h"

struct udp_flow;

struct input_ops {
	void (*free)(struct input *);
	int (*read)(struct input *, struct batch *, uint64_t now_ns,
		    struct errmsg *why);
	int (*second)(struct input *, uint64_t now_ns, struct errmsg *why);
	void (*counters)(const struct input *, struct input_counters *ret);
	/* NULL: the head of its struct, and its flow. */
	void (*warm)(const struct input *, struct warm *);
	/* Is a part of it stuck in the kernel?  NULL: never. */
	bool (*hangs)(const struct input *, uint64_t now_ns);
	/* NULL: its protocol tells nothing.  *ret is all zero. */
	void (*stats)(const struct input *, struct link_stats *ret);
	/* NULL: an open one has none. */
	const char *(*trouble)(const struct input *);
	/* What counters() counts as unprotected.  NULL: it never does. */
	const char *(*bare)(const struct input *);
	/* "": they are one.  NULL: those of its flow. */
	const char *(*senders)(const struct input *);
	/* Can something come?  NULL: when it has a descriptor. */
	bool (*is_there)(const struct input *);
	/* Is there no answer yet from where it asks?  NULL: never. */
	bool (*is_tried)(const struct input *);
	/* See input_can_be_silent().  NULL: always. */
	bool (*can_be_silent)(const struct input *);
	/* NULL: it has no connections. */
	const char *(*peer)(const struct input *);
};

/* The head of each kind's own struct. */
struct input {
	const struct input_ops *ops;
	const struct input_spec *spec;
	int fd; /* to wait for, or -1 */
	struct udp_flow *flow; /* of datagrams that are measured, or NULL */
};

/* As input_open(). */
typedef struct input *input_open_fn(const struct input_spec *,
				    uint64_t now_ns, int *ret_err,
				    struct errmsg *why);

input_open_fn udp_input_open;
input_open_fn rtp_input_open;
input_open_fn file_input_open;
input_open_fn merge_input_open;
input_open_fn sdp_input_open;
input_open_fn stream_input_open;

/* The rows that need no library: of every program. */
#define INPUT_OPENERS_PLAIN \
	[INPUT_UDP] = udp_input_open, \
	[INPUT_RTP] = rtp_input_open, \
	[INPUT_FILE] = file_input_open, \
	[INPUT_SDP] = sdp_input_open, \
	[INPUT_STREAM] = stream_input_open

/* Each program has its own: what it can open, NULL for what it has no library
 * for (worker/openers.c, worker/net/net_openers.c). */
extern input_open_fn *const input_openers[INPUT_KINDS];
