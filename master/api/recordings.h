/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders in which streams record: a list of files of another stream plays
 * nothing there. */
#pragma once

struct api;

/* Names the folders to the workers that start from now on.  Call it at the
 * start, before the first stream. */
void recordings_name(struct api *);

/* After every change: names them, and replaces the workers that play lists if
 * the folders differ. */
void recordings_apply(struct api *);
