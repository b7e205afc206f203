/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter of a SAT>IP server: the sockets of its session. */
#pragma once

#include "worker/adapter/source.h"

source_open_fn satip_source_open;
