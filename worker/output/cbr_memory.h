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

/* Keeps the state; `leaving' packets of it are sent next.  No memory: no
 * effect. */
void cbr_memory_write(struct cbr *, size_t leaving);

/* The send has returned. */
void cbr_memory_sent(struct cbr *);

/* In front of a push of n packets, because it may move those that wait. */
void cbr_memory_make_room(struct cbr *, size_t n);
