/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes and rates of the buffers of elementary streams, for buffers.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer_sizes {
	/* at which the transport buffer empties; 0: not judged */
	double tb_bps;
	double bytes;  /* of the buffers behind it together */
};

/* By the parameter set in n bytes of a stream of this type; false: they have
 * none that is known. */
bool buffer_sizes_video(uint8_t type, const uint8_t *data, size_t n,
			struct buffer_sizes *ret);

struct buffer_sizes buffer_sizes_audio(uint8_t type);

/* Of AAC, by the channels of the ADTS header at the start of its n bytes;
 * false: there is none. */
bool buffer_sizes_adts(const uint8_t *data, size_t n, struct buffer_sizes *ret);
