/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs and PIDs of an adapter that streams read.  Pure. */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds a program to the ascending list.  With pnr 0, or without room in the
 * list, streams read all programs, and the list becomes empty. */
void adapter_programs_add(struct msg_adapter_programs *, uint16_t pnr);

/* Adds a PID that a stream names to the ascending list; 0 is ignored.  A PID
 * for which the list has no room is dropped: no source has as many filters. */
void adapter_programs_add_pid(struct msg_adapter_programs *, uint16_t pid);

bool adapter_programs_equal(const struct msg_adapter_programs *,
			    const struct msg_adapter_programs *);
