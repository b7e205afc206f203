/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges and reads the entries of dvb_tune (adapters), and finds the inputs of
 * streams that read them (dvb://ID).  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>

/* True: this version can run the adapter.  False: error (may be NULL) has the
 * reason. */
bool adapter_conf_can_run(const json_t *adapter, struct errmsg *error);

/* Judges whether an enabled adapter can run together with those of the list.
 * Returns 0, or a reason in error: -EINVAL: a value is wrong, so a command that
 * stores it is refused; -ENODATA: a tuner has no value for a required key
 * yet. */
int adapter_conf_judge(const json_t *list, const json_t *adapter,
		       struct errmsg *error) MUST_CHECK;

/* Returns the keys that the worker of an adapter reads, a new object: of an
 * adapter with an address, only the address and the keys of T2-MI and of a CI
 * slot.  A change of other keys does not restart the worker.  NULL: the adapter
 * is disabled or cannot run. */
json_t *adapter_conf_keys(const json_t *adapter);

/* As adapter_conf_keys(), for an adapter of a list.  NULL as well if another
 * adapter of the list feeds its LNB with another band or polarization. */
json_t *adapter_conf_wanted(const json_t *list, const json_t *adapter);

/* Writes the id of the adapter that an input address (may be NULL) reads; "":
 * it is no dvb:// input, or the id is too long. */
void adapter_link_read(const char *address, char ret[IO_ID_MAX + 1]);

/* Writes the id of the stream whose output an adapter receives; "": it has
 * another source. */
void adapter_conf_link(const json_t *entry, char ret[IO_FEED_MAX + 1]);

/* Returns the adapter with stream `to' instead of `from' in its address, a new
 * reference; NULL: it does not read `from'. */
json_t *adapter_conf_rename_link(const json_t *entry, const char *from,
				 const char *to);

/* True: the adapter needs the worker with network libraries, for instance to
 * resolve host names. */
bool adapter_conf_is_net(const json_t *keys);

/* True: both entries name the same tuner or the same SAT>IP server, and the
 * same CI slot.  A change of the multiplex then needs no restart of the
 * worker. */
bool adapter_conf_is_same_source(const json_t *before, const json_t *entry);

/* True: the adapter may have slots for CAMs. */
bool adapter_conf_has_slots(const json_t *keys);
