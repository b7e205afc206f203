/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The conditional access systems of a stream: a channel to the worker of each,
 * which gets the control words and returns ECMs and EMMs.
 *
 * The worker of a system parses bytes of a foreign host, so each of its
 * messages is checked, and a flood closes the channel.  The master opens
 * another one.  EMMs beyond a limit are dropped.
 *
 * Owns the channels; borrows the loop, the list and the periods.
 */
#pragma once

#include "proto/spec/cas_spec.h"
#include "worker/csa/crypto_periods.h"

struct cas_systems;
struct ev_loop;

struct cas_systems_config {
	struct ev_loop *loop;
	const struct cas_list *list;
	struct crypto_periods *periods;
	/* Receives the packets of an EMM of a system. */
	void (*on_emm)(size_t system, struct ts_run, void *arg);
	void *arg;
};

struct cas_systems *cas_systems_new(const struct cas_systems_config *);
void cas_systems_free(struct cas_systems **);

/* Sets the channel to the worker of a system, and closes the previous one.  fd
 * is taken. */
void cas_systems_link(struct cas_systems *, size_t system, int fd);

/* Requests from the workers of the systems the ECMs that crypto_ask() names. */
void cas_systems_ask(struct cas_systems *);

/* Returns a set of bits: bit i is the system at place i, if its worker has a
 * channel. */
unsigned cas_systems_linked(const struct cas_systems *);

/* Call once a second.  Returns the error of the first system that delivers no
 * ECMs or no EMMs, borrowed until the next call; NULL: no system has one. */
const char *cas_systems_second(struct cas_systems *, uint64_t now_ns);
