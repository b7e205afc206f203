/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/pid_class.h"

/* The class for each stream_type of ISO/IEC 13818-1 table 2-34, and from 0x80
 * on for those of ATSC, SCTE, AVS and Dirac.  Other types are PID_UNKNOWN. */
static const uint8_t class_of_type[256] = {
	[0x01] = PID_VIDEO, /* MPEG-1 */
	[0x02] = PID_VIDEO, /* MPEG-2 */
	[0x03] = PID_AUDIO, /* MPEG-1 */
	[0x04] = PID_AUDIO, /* MPEG-2 */
	[0x05] = PID_DATA,  /* private sections */
	[0x06] = PID_DATA,  /* private PES: the descriptors name the content */
	[0x08] = PID_DATA,  /* DSM-CC */
	[0x0a ... 0x0d] = PID_DATA,
	[0x0f] = PID_AUDIO, /* AAC ADTS */
	[0x10] = PID_VIDEO, /* MPEG-4 part 2 */
	[0x11] = PID_AUDIO, /* AAC LATM */
	[0x14 ... 0x19] = PID_DATA, /* DSM-CC, metadata */
	[0x1b] = PID_VIDEO, /* H.264 */
	[0x1c] = PID_AUDIO, /* MPEG-4 raw */
	[0x1e ... 0x25] = PID_VIDEO, /* SVC, MVC, JPEG 2000, HEVC (0x24) */
	[0x28 ... 0x2b] = PID_VIDEO,
	[0x2d ... 0x2e] = PID_AUDIO, /* MPEG-H */
	[0x31 ... 0x35] = PID_VIDEO, /* JPEG XS, VVC (0x33), EVC */
	[0x42] = PID_VIDEO, /* AVS */
	[0x80] = PID_VIDEO, /* MPEG-2 in cable */
	[0x81] = PID_AUDIO, /* AC-3 */
	[0x82] = PID_SUBTITLE,
	[0x86] = PID_DATA,  /* SCTE 35 */
	[0x87] = PID_AUDIO, /* E-AC-3 */
	[0x8a] = PID_AUDIO, /* DTS */
	[0xd1] = PID_VIDEO, /* Dirac */
	[0xd2] = PID_VIDEO, /* AVS2 */
	[0xd4] = PID_VIDEO, /* AVS3 */
	[0xea] = PID_VIDEO, /* VC-1 */
};

/* The class for each stream_type that has another meaning in a program whose
 * registration descriptor is HDMV (Blu-ray). */
static const uint8_t class_in_hdmv[256] = {
	[0x80] = PID_AUDIO, /* LPCM */
	[0x82 ... 0x86] = PID_AUDIO, /* DTS, TrueHD, E-AC-3, DTS-HD */
	[0x90] = PID_SUBTITLE,
	[0x92] = PID_SUBTITLE,
	[0xa1] = PID_AUDIO,
	[0xa2] = PID_AUDIO,
};

uint32_t desc_registration(struct desc_loop loop)
{
	struct desc d;

	if (!desc_find(loop, DESC_REGISTRATION, &d) || d.len < 4)
		return 0;
	return FORMAT(d.data[0], d.data[1], d.data[2], d.data[3]);
}

static enum pid_class class_of_format(uint32_t format)
{
	switch (format) {
	case FORMAT('A', 'C', '-', '3'):
	case FORMAT('E', 'A', 'C', '3'):
	case FORMAT('A', 'C', '-', '4'):
	case FORMAT('D', 'T', 'S', '1'):
	case FORMAT('D', 'T', 'S', '2'):
	case FORMAT('D', 'T', 'S', '3'):
	case FORMAT('O', 'p', 'u', 's'):
	case FORMAT('B', 'S', 'S', 'D'):
		return PID_AUDIO;
	case FORMAT('H', 'E', 'V', 'C'):
	case FORMAT('V', 'C', '-', '1'):
	case FORMAT('d', 'r', 'a', 'c'):
	case FORMAT('A', 'V', '0', '1'):
		return PID_VIDEO;
	default:
		return PID_UNKNOWN;
	}
}

/* Classifies a component with stream_type 0x06 (private PES) by one of its
 * descriptors; PID_UNKNOWN: this descriptor does not name the content. */
static enum pid_class class_of_desc(const struct desc *d)
{
	switch (d->tag) {
	case DESC_AVC_VIDEO:
	case DESC_HEVC_VIDEO:
		return PID_VIDEO;
	case DESC_AC3:
	case DESC_EAC3:
	case DESC_DTS:
	case DESC_AAC:
		return PID_AUDIO;
	case DESC_TELETEXT:
	case DESC_VBI_TELETEXT:
		return PID_TELETEXT;
	case DESC_SUBTITLING:
		return PID_SUBTITLE;
	case DESC_EXTENSION:
		/* EN 300 468 6.4: descriptor_tag_extension */
		switch (d->len > 0 ? d->data[0] : 0) {
		case 0x0e: /* DTS-HD */
		case 0x0f: /* DTS Neural */
		case 0x15: /* AC-4 */
		case 0x19: /* audio preselection */
		case 0x21: /* DTS-UHD */
			return PID_AUDIO;
		}
		return PID_UNKNOWN;
	default:
		return PID_UNKNOWN;
	}
}

enum pid_class pmt_classify(uint8_t stream_type, struct desc_loop program,
			    struct desc_loop stream)
{
	enum pid_class class = PID_UNKNOWN;
	struct desc d;

	if (stream_type == 0x06) {
		class = class_of_format(desc_registration(stream));
		while (class == PID_UNKNOWN && desc_next(&stream, &d))
			class = class_of_desc(&d);
		return class == PID_UNKNOWN ? PID_DATA : class;
	}
	if (stream_type == 0x05 &&
	    desc_find(stream, DESC_APPLICATION_SIGNALLING, &d))
		return PID_AIT;
	if (stream_type >= 0x80 &&
	    desc_registration(program) == FORMAT('H', 'D', 'M', 'V'))
		class = class_in_hdmv[stream_type];
	if (class == PID_UNKNOWN)
		class = class_of_type[stream_type];
	if (class == PID_UNKNOWN)
		class = class_of_format(desc_registration(stream));
	return class == PID_UNKNOWN ? PID_OTHER : class;
}
