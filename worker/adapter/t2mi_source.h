/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extracts the packets of a PLP from the T2-MI that another source receives, if
 * the adapter has the keys of t2mi_spec.h; otherwise all packets pass
 * unchanged. */
#pragma once

#include "worker/adapter/source.h"

/* Makes a source around inner, which it owns. */
struct source *t2mi_source_new(const json_t *adapter, struct source *inner);
