/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of dvb_tune, and the inputs that read them: dvb://ID.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>

/* Is this an adapter that this version can run?  error: why not; may be
 * NULL. */
bool adapter_conf_can_run(const json_t *adapter, struct errmsg *error);

/* 0, or why an adapter that is enabled beside those of the list cannot run,
 * with error: -EINVAL: a value is wrong, and a command that stores it refuses
 * it; -ENODATA: a tuner lacks a key, which is to come. */
int adapter_conf_judge(const json_t *list, const json_t *adapter,
		       struct errmsg *error) MUST_CHECK;

/* The keys that the worker of an adapter reads, a new object.  Of an address
 * they are that key and those of T2-MI and of a CI slot: a change of others
 * does not restart the worker.  NULL: the adapter is disabled or cannot run. */
json_t *adapter_conf_keys(const json_t *adapter);

/* The same of an adapter of a list; NULL also where another one of the list
 * feeds its LNB with another band or polarization. */
json_t *adapter_conf_wanted(const json_t *list, const json_t *adapter);

/* Writes the adapter that an input address reads; "" for another kind of input,
 * and for NULL. */
void adapter_link_read(const char *address, char ret[IO_ID_MAX + 1]);

/* Writes the stream whose packets are the multiplex of an adapter; "": it has
 * another source. */
void adapter_conf_link(const json_t *entry, char ret[IO_FEED_MAX + 1]);

/* The adapter with the address of stream `to' where it has that of `from', a
 * new reference; NULL: it does not read `from'. */
json_t *adapter_conf_rename_link(const json_t *entry, const char *from,
				 const char *to);

/* Does an adapter need a library, for names of hosts too? */
bool adapter_conf_is_net(const json_t *keys);

/* Do two adapters differ by the multiplex alone, which a tuner or server sends
 * without a restart? */
bool adapter_conf_is_same_source(const json_t *before, const json_t *entry);

/* May an adapter have slots for CAMs? */
bool adapter_conf_has_slots(const json_t *keys);
