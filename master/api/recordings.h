/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders in which streams record: an input that plays a list of files does
 * not play files in these folders. */
#pragma once

struct api;

/* Passes the folders to workers that start from now on.  Call it at the start,
 * before the first stream. */
void recordings_name(struct api *);

/* Call it after every change: passes the folders to new workers, and if they
 * differ, replaces the workers that play lists. */
void recordings_apply(struct api *);
