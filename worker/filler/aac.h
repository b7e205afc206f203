/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A silent raw_data_block of AAC (ISO/IEC 14496-3 4.4.2.1). */
#pragma once

#include "worker/filler/bits.h"

/* False for a channelConfiguration that needs a program config element. */
bool aac_put_silence(struct bit_writer *, unsigned channel_configuration);
