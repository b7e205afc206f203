/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs and PIDs of an adapter that streams read.  Pure. */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds a program, in the order of the list; 0: all. */
void adapter_programs_add(struct msg_adapter_programs *, uint16_t pnr);

/* Adds a PID that a stream names, in the order of the list; 0: none.  A PID
 * beyond the places of the list is left out: no source has as many filters. */
void adapter_programs_add_pid(struct msg_adapter_programs *, uint16_t pid);

bool adapter_programs_equal(const struct msg_adapter_programs *,
			    const struct msg_adapter_programs *);
