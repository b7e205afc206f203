/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Virtual channel tables of ATSC (A/65 6.3): the names and numbers of the
 * programs, on air (TVCT) and by cable (CVCT).  Only for this folder.
 *
 * A channel has "short_name"; with an extended channel name descriptor also
 * "name", or "name_error", which says why its text is not decoded: unknown
 * compressions, and modes that stand for other character codes.  "channel" is
 * its number for viewers, "7.1", or "12" by cable.
 */
#pragma once

#include "proto/si/codec.h"

void run_tvct(struct codec *);
void run_cvct(struct codec *);
