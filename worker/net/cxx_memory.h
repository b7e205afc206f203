/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports a lack of memory also in a library in C++ (libsrt), whose exception
 * would end the process as an abort does, without a report. */
#pragma once

/* Call it at the start.  No effect in a process without libstdc++. */
void cxx_memory_init(void);
