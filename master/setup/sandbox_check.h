/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks what this kernel lacks to confine the workers. */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

/* Logs what this kernel lacks, as a warning, or as an error if it is required.
 * Returns 0; -ENOSYS: something required is missing. */
int sandbox_check(bool required) MUST_CHECK;
