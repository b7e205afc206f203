/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the packets of a PLP out of the T2-MI that another source receives, if
 * the adapter says so (t2mi_spec.h); all others pass unchanged. */
#pragma once

#include "worker/adapter/source.h"

/* Makes a source around inner, which it owns. */
struct source *t2mi_source_new(const json_t *adapter, struct source *inner);
