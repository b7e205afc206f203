/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter with an `address': receives by the input types of streams. */
#pragma once

#include "worker/adapter/source.h"

source_open_fn address_source_open;
