/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the component tests: a loop that runs until a condition is true. */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The file name below the build tree; static memory, two at a time. */
const char *rig_built(const char *name);

/* The absolute name of a file of the source tree, which exists; static memory,
 * one at a time. */
const char *rig_source(const char *name);

/* An address of the loopback for this process alone, so that no port of it is
 * taken, not even by a connection on its way; static memory. */
const char *rig_host(void);

/* Runs the loop until is_so(arg), or fails the test after six times ms, as
 * others may want the cores, too: time is promised by the tests of the system.
 */
void rig_run_until(struct ev_loop *, bool (*is_so)(void *arg), void *arg,
		   unsigned ms, const char *what);
void rig_run_for(struct ev_loop *, unsigned ms);

/* Did this process wait so long for a processor that its times prove nothing?
 * False where the kernel does not count that: there a test fails rather than
 * pass without proof. */
bool rig_is_busy(void);

/* From now on the log is kept. */
void rig_keep_log(void);
/* How many lines hold text. */
unsigned rig_count_log(const char *text);
const char *rig_log(void);

/* The child of this process whose command line contains text; 0 when none. */
pid_t rig_find_child(const char *text);
unsigned rig_count_children(void);
