/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs of an adapter that streams read.  Pure. */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds a program, in the order of the list; 0: all. */
void adapter_programs_add(struct msg_adapter_programs *, uint16_t pnr);

bool adapter_programs_equal(const struct msg_adapter_programs *,
			    const struct msg_adapter_programs *);
