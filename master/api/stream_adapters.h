/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The adapters whose source is the output of a stream. */
#pragma once

struct api;

/* The stream `from' was renamed to `to': writes the new id into the addresses
 * of the adapters that read it, and announces them.  Their workers continue. */
void stream_adapters_rename(struct api *, const char *from, const char *to);
