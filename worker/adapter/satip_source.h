/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter with a `server': receives from a SAT>IP server. */
#pragma once

#include "worker/adapter/source.h"

source_open_fn satip_source_open;
