/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of the descriptors of ISO/IEC 13818-1 2.6. */
#include "proto/si/desc_tables.h"

static void run_language(struct codec *c)
{
	static const struct si_field language[] = {
		ASCII("lang", 3), UINT("audio_type", 8), END
	};

	/* nearly all descriptors have one language, so in JSON the first one is
	 * not in a list */
	fields_run(c, language);
	if (codec_more(c, "others"))
		codec_list(c, "others", fields_run, language);
}

static const struct si_field video_stream[] = {
	FLAG("multiple_frame_rate"), UINT("frame_rate_code", 4),
	FLAG("mpeg1_only"), FLAG("constrained_parameter"),
	FLAG("still_picture"), HEX("data"), END
};

static const struct si_field audio_stream[] = {
	FLAG("free_format"), FLAG("id"), UINT("layer", 2),
	FLAG("variable_rate"), ONES(3), END
};

static const struct si_field registration[] = {
	ASCII("format_identifier", 4), HEX("data"), END
};

static const struct si_field data_stream_alignment[] = {
	UINT("alignment_type", 8), END
};

static const struct si_field ca[] = {
	UINT("caid", 16), ONES(3), UINT("pid", 13), HEX("data"), END
};

static const struct si_field language[] = { CALL(run_language), END };

static const struct si_field system_clock[] = {
	FLAG("external_clock_reference"), ONES(1),
	UINT("accuracy_integer", 6), UINT("accuracy_exponent", 3), ONES(5), END
};

static const struct si_field multiplex_buffer[] = {
	FLAG("bound_valid"), UINT("ltw_offset_lower_bound", 15), ONES(1),
	UINT("ltw_offset_upper_bound", 14), END
};

/* maximum_bitrate is in units of 50 byte/s */
static const struct si_field maximum_bitrate[] = {
	ONES(2), UINT("maximum_bitrate", 22), END
};

static const struct si_field private_data_indicator[] = {
	UINT("private_data_indicator", 32), END
};

static const struct si_field smoothing_buffer[] = {
	ONES(2), UINT("sb_leak_rate", 22), ONES(2), UINT("sb_size", 22), END
};

static const struct si_field std[] = { ONES(7), FLAG("leak_valid"), END };

static const struct si_field carousel_identifier[] = {
	UINT("carousel_id", 32), HEX("data"), END
};

static const struct si_field association_tag[] = {
	UINT("association_tag", 16), UINT("use", 16), HEX8("selector"),
	HEX("data"), END
};

static const struct si_field stream_profile[] = {
	UINT("profile_and_level", 8), HEX("data"), END
};

static const struct si_field avc_video[] = {
	UINT("profile_idc", 8), UINT("constraint_flags", 8),
	UINT("level_idc", 8), FLAG("still_present"), FLAG("avc_24_hour"),
	FLAG("frame_packing_not_present"), ONES(5), END
};

static const struct si_field aac[] = {
	UINT("profile", 8), UINT("channel_configuration", 8),
	UINT("additional_information", 8), END
};

static const struct si_field hevc_video[] = {
	UINT("profile_space", 2), FLAG("tier"), UINT("profile_idc", 5),
	UINT("profile_compatibility", 32), FLAG("progressive_source"),
	FLAG("interlaced_source"), FLAG("non_packed"), FLAG("frame_only"),
	UINT("constraint_flags", 44), UINT("level_idc", 8), HEX("data"), END
};

const struct desc_kind desc_mpeg[0x40] = {
	[0x02] = { "video_stream", video_stream },
	[0x03] = { "audio_stream", audio_stream },
	[0x04] = { "hierarchy", NULL },
	[0x05] = { "registration", registration },
	[0x06] = { "data_stream_alignment", data_stream_alignment },
	[0x07] = { "target_background_grid", NULL },
	[0x08] = { "video_window", NULL },
	[0x09] = { "cas", ca },
	[0x0a] = { "lang", language },
	[0x0b] = { "system_clock", system_clock },
	[0x0c] = { "multiplex_buffer_utilization", multiplex_buffer },
	[0x0d] = { "copyright", NULL },
	[0x0e] = { "maximum_bitrate", maximum_bitrate },
	[0x0f] = { "private_data_indicator", private_data_indicator },
	[0x10] = { "smoothing_buffer", smoothing_buffer },
	[0x11] = { "std", std },
	[0x12] = { "ibp", NULL },
	[0x13] = { "carousel_identifier", carousel_identifier },
	[0x14] = { "association_tag", association_tag },
	[0x15] = { "deferred_association_tags", NULL },
	[0x1b] = { "mpeg4_video", stream_profile },
	[0x1c] = { "mpeg4_audio", stream_profile },
	[0x1d] = { "iod", NULL },
	[0x1e] = { "sl", NULL },
	[0x1f] = { "fmc", NULL },
	[0x20] = { "external_es_id", NULL },
	[0x21] = { "muxcode", NULL },
	[0x24] = { "content_labeling", NULL },
	[0x25] = { "metadata_pointer", NULL },
	[0x26] = { "metadata", NULL },
	[0x27] = { "metadata_std", NULL },
	[0x28] = { "avc_video", avc_video },
	[0x2a] = { "avc_timing_and_hrd", NULL },
	[0x2b] = { "mpeg2_aac_audio", aac },
	[0x2c] = { "flexmux_timing", NULL },
	[0x38] = { "hevc_video", hevc_video },
	[0x39] = { "vvc_video", NULL },
	[0x3f] = { "extension", NULL },
};
