/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/t_std.h"

enum {
	AUDIO_BPS = 2000000,
	AAC_BPS = 5529600, /* it may have eight channels */
};

unsigned t_std_audio_bps(uint8_t stream_type)
{
	switch (stream_type) {
	case 0x03: /* MPEG */
	case 0x04:
	case 0x81: /* AC-3 */
		return AUDIO_BPS;
	case 0x0f: /* AAC */
	case 0x11:
		return AAC_BPS;
	default:
		return 0;
	}
}
