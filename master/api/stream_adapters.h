/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The adapters whose multiplex is what a stream sends. */
#pragma once

struct api;

/* The stream `from' has the id `to' now: writes it into the addresses of the
 * adapters that read it and announces them.  Their workers continue. */
void stream_adapters_rename(struct api *, const char *from, const char *to);
