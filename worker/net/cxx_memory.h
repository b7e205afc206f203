/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes libraries in C++ (libsrt) log a lack of memory.  Otherwise their
 * exception would abort the process without a log line. */
#pragma once

/* Call it at the start of the process.  Without libstdc++ it has no effect. */
void cxx_memory_init(void);
