/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the state and the queue of an output of constant bit rate in memory
 * that outlives the worker (cbr_keep()); only for cbr*.c.
 *
 * The memory has two states.  The older one is written, and then it is the
 * valid one: a worker that is killed at any moment leaves a whole state.  The
 * state is written in front of each send: packets that were being sent at that
 * moment may be lost, but none is sent twice.
 */
#pragma once

#include "worker/output/cbr_state.h"

/* Stores the state before `leaving' packets, which are not in the queue any
 * more, are sent.  Does nothing for an output without such memory. */
void cbr_memory_write(struct cbr *, size_t leaving);

/* Call it when the send has returned: its packets are sent. */
void cbr_memory_sent(struct cbr *);

/* Call it before n packets are queued, which may move the waiting packets in
 * memory. */
void cbr_memory_make_room(struct cbr *, size_t n);
