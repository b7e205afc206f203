/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of an adapter whose multiplex passes through a CAM slot without a
 * tuner.  The key `ddci' of any adapter names such a slot, and an adapter of
 * type CI is one.
 *
 * Pure.
 */
#pragma once

#include "proto/spec/tuner_spec.h"

struct ci_spec {
	bool used;            /* false: the adapter uses no such slot */
	/* N and M of the devices: /dev/dvb/adapterN/ciM or secM, and caM */
	int adapter, device;
	unsigned bitrate_mbps; /* highest bitrate of the slot, Mbit/s */
	struct tuner_ca ca;
};

extern const struct field_table ci_fields;

/* Is the adapter of type CI? */
bool ci_spec_is(const json_t *adapter);

/* Reads the keys of a CI slot.  0, or -EINVAL with error, which names the
 * key. */
int ci_spec_parse(const json_t *adapter, struct ci_spec *ret,
		  struct errmsg *error) MUST_CHECK;

/* Adds the keys that ci_spec_parse() reads to the object `to'.  Adds none if
 * the adapter uses no slot. */
void ci_spec_copy(const json_t *adapter, json_t *to);

/* Have both adapters the same CI slot with the same keys, or neither of them a
 * slot?  False also if an adapter has a wrong key. */
bool ci_spec_is_same(const json_t *, const json_t *);
