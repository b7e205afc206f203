/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the guide of some channels as XMLTV or JSON (guide_list.h) to memory,
 * a part at a time; between two parts the guide may change.
 *
 * A stream with several services has a channel for each of them, whose id is
 * that of the stream, a dot, and the number of the service.  If channels have
 * the same id, the first one with events is written; if none has events, the
 * first one.
 *
 * Owns the descriptor; borrows the guide.
 */
#pragma once

#include "proto/ipc/msg_epg.h"
#include "worker/epg/guide.h"

enum { GUIDE_XMLTV_PART = 64 * 1024 }; /* bytes of a part, before gzip */

struct guide_xmltv;

/* form: enum epg_form.  channels: a list of objects with the strings "stream",
 * "id", "name", "number" and "icon"; other elements are omitted.  Takes fd, the
 * memory (shared_create()). */
struct guide_xmltv *guide_xmltv_new(int fd, struct guide *, unsigned form,
				    const json_t *channels);
/* NULL-safe; sets *x to NULL. */
void guide_xmltv_free(struct guide_xmltv **);

/* Writes a part.  Returns 1: call it again; 0: that was the last part; -ENOSPC:
 * the memory is too small; or another -errno. */
int guide_xmltv_run(struct guide_xmltv *) MUST_CHECK;
/* The number of bytes that were written. */
size_t guide_xmltv_len(const struct guide_xmltv *);
/* A hash of the form and the content, above 0. */
uint64_t guide_xmltv_hash(const struct guide_xmltv *);
