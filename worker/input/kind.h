/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an input is made of; only for the files of this folder. */
#pragma once

#include "worker/input/input.h"

struct input_ops {
	void (*free)(struct input *);
	int (*read)(struct input *, struct batch *, uint64_t now_ns,
		    struct errmsg *why);
	int (*second)(struct input *, uint64_t now_ns, struct errmsg *why);
	void (*counters)(const struct input *, struct input_counters *ret);
};

/* The head of each kind's own struct. */
struct input {
	const struct input_ops *ops;
	const struct input_spec *spec;
	int fd; /* to wait for, or -1 */
};

/* As input_open(). */
struct input *udp_input_open(const struct input_spec *, uint64_t now_ns,
			     int *ret_err, struct errmsg *why);
struct input *file_input_open(const struct input_spec *, uint64_t now_ns,
			      int *ret_err, struct errmsg *why);
