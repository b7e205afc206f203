/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signals to a bench program while it runs. */
#pragma once

#include <stdbool.h>

/* From here on SIGTERM and SIGINT ask it to stop, SIGUSR1 for a report. */
void orders_listen(void);

bool orders_stop(void);

/* True once after it was asked, however often since the last call. */
bool orders_report(void);
