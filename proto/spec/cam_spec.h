/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The option cam of an input: the softcams that know its control words.
 *
 * "c1,c2": the second softcam is asked when the first does not answer as fast
 * as it usually does.  Without a value the option stands for the modules (CAM)
 * of the adapter that the input reads.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	CAM_LIST_MAX = 4,
	CAM_ID_MAX = 64,
	CAM_SHIFT_MAX_MS = 10000,
	CAM_SHIFT_DEFAULT = CAM_SHIFT_MAX_MS + 1, /* that of the softcam */
};

struct cam_list {
	size_t n;
	char ids[CAM_LIST_MAX][CAM_ID_MAX + 1];
	bool module; /* those of the adapter instead */
};

extern const struct field_hook cam_hook; /* of a struct cam_list */

bool cam_list_has(const struct cam_list *, const char *id);
