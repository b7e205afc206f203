/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel lacks to confine the workers. */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

/* Logs what this kernel lacks: as a warning, or, if it is required, as an
 * error.  Returns 0, or -ENOSYS if it is required and lacks. */
int sandbox_check(bool required) MUST_CHECK;
