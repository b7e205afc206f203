/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The option cam of an input: the softcams that deliver its control words.
 *
 * "c1,c2" are ids: the second softcam is asked if the first one takes longer
 * than usual to answer.  Without a value the modules (CAM) in the slots of the
 * adapter that the input reads descramble it.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	CAM_LIST_MAX = 4,
	CAM_ID_MAX = 64,
	CAM_USER_MAX = 511, /* bytes of the login at a newcamd server */
	CAM_SHIFT_MAX_MS = 10000,
	CAM_SHIFT_DEFAULT = CAM_SHIFT_MAX_MS + 1, /* the softcam's shift */
};

struct cam_list {
	size_t n;
	char ids[CAM_LIST_MAX][CAM_ID_MAX + 1];
	bool module; /* no ids: the modules of the adapter descramble */
};

extern const struct field_hook cam_hook; /* reads a struct cam_list */

bool cam_list_has(const struct cam_list *, const char *id);
