/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The splice_info_section of ANSI/SCTE 35; only for tables.c. */
#pragma once

#include "proto/si/codec.h"

/* Reads or writes the section behind section_length. */
void run_splice_info(struct codec *);
