/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter by address: receives what an input of a stream can receive. */
#pragma once

#include "worker/adapter/source.h"

source_open_fn address_source_open;
