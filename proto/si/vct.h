/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes the virtual channel tables of ATSC (A/65 6.3), which have
 * the names and numbers of the programs: the terrestrial one (TVCT) and that of
 * cable (CVCT).  Only for this folder.
 *
 * A channel has "short_name".  With an extended channel name descriptor it also
 * has "name"; or "name_error", which says why the text is not decoded: it is
 * cut, or has an unknown compression or character code.  "channel" is the
 * number for viewers: "7.1", or "12" by cable.
 */
#pragma once

#include "proto/si/codec.h"

void run_tvct(struct codec *);
void run_cvct(struct codec *);
