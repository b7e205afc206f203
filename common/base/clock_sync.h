/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a time service keeps the clock of the system. */
#pragma once

#include <stdbool.h>

/* False: the kernel counts CLOCK_REALTIME as not synchronised (STA_UNSYNC of
 * adjtimex).  True also where the kernel does not answer. */
bool clock_is_synchronised(void);
