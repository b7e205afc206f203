/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports the end for lack of memory also where a library in C++ (libsrt) needs
 * the memory: its exception would end the process as an abort does. */
#pragma once

/* Call it at the start.  No effect in a process without libstdc++. */
void cxx_memory_init(void);
