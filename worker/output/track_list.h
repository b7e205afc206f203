/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognizes a change of the tracks of a stream: its video and audio, as a
 * player of segments sees them.  Pure. */
#pragma once

#include "worker/ts/psi.h"

/* A number for the PIDs and codecs of the video and audio of the main program;
 * 0: its tables are unknown.  The version of the PMT does not matter. */
uint32_t track_list_digest(const struct psi *);
