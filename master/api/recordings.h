/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders into which streams record.  An input that plays a list of files
 * must not play files in these folders, so workers get the list of folders. */
#pragma once

struct api;

/* Passes the folders to workers that start from now on.  Call it at the start,
 * before the first stream. */
void recordings_name(struct api *);

/* Call it after every change of streams: passes the folders to workers that
 * start from now on.  If the folders have changed, replaces the workers of
 * inputs that play lists. */
void recordings_apply(struct api *);
