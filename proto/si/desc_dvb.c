/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of the descriptors of EN 300 468 6.2 and 6.4. */
#include "proto/si/desc_tables.h"
#include "proto/si/json.h"

static const struct si_field network_name[] = { TEXT("network_name"), END };

static const struct si_field listed_service[] = {
	UINT("service_id", 16), UINT("service_type_id", 8), END
};
static const struct si_field service_list[] = {
	LIST("services", listed_service), END
};

static const struct si_field vbi_service[] = {
	UINT("data_service_id", 8), HEX8("data"), END
};
static const struct si_field vbi_data[] = {
	LIST("services", vbi_service), END
};

static const struct si_field bouquet_name[] = { TEXT("bouquet_name"), END };

static const struct si_field service[] = {
	UINT("service_type_id", 8), TEXT8("service_provider"),
	TEXT8("service_name"), END
};

static const struct si_field country[] = { ASCII("country", 3), END };
static const struct si_field country_availability[] = {
	FLAG("available"), ONES(7), LIST("countries", country), END
};

static const struct si_field service_reference[] = {
	UINT("tsid", 16), UINT("onid", 16), UINT("service_id", 16), END
};
static const struct si_field nvod_reference[] = {
	LIST("services", service_reference), END
};

static const struct si_field time_shifted_service[] = {
	UINT("reference_service_id", 16), END
};

static const struct si_field time_shifted_event[] = {
	UINT("reference_service_id", 16), UINT("reference_event_id", 16), END
};

static const struct si_field stream_identifier[] = {
	UINT("stream_id", 8), END
};

static const struct si_field ca_identifier[] = { UINTS("caids", 16), END };

/* Reads or writes a teletext page number as viewers see it, 100 to 899.  Its
 * magazine (the hundreds) has 3 bits, in which 8 is coded as 0. */
static void run_page(struct codec *c)
{
	uint64_t page = codec_given(c, "page", 899);
	uint64_t magazine = codec_bits(c, 3, page / 100);
	uint64_t number = codec_bits(c, 8, si_to_bcd(page % 100));

	codec_shown(c, "page", (int64_t)((magazine == 0 ? 8 : magazine) * 100 +
					 si_bcd(number, 8)));
}

static const struct si_field teletext_page[] = {
	ASCII("lang", 3), UINT("teletext_type", 5), CALL(run_page), END
};
static const struct si_field teletext[] = { LIST("pages", teletext_page), END };

static const struct si_field subtitle[] = {
	ASCII("lang", 3), UINT("subtitling_type", 8),
	UINT("composition_page_id", 16), UINT("ancillary_page_id", 16), END
};
static const struct si_field subtitling[] = {
	LIST("subtitles", subtitle), END
};

static const struct si_field name_in_language[] = {
	ASCII("lang", 3), TEXT8("name"), END
};
static const struct si_field multilingual_name[] = {
	LIST("names", name_in_language), END
};

static const struct si_field service_in_language[] = {
	ASCII("lang", 3), TEXT8("service_provider"), TEXT8("service_name"),
	END
};
static const struct si_field multilingual_service_name[] = {
	LIST("names", service_in_language), END
};

static const struct si_field multilingual_component[] = {
	UINT("component_tag", 8), LIST("texts", name_in_language), END
};

static const struct si_field private_data_specifier[] = {
	UINT("private_data_specifier", 32), END
};

static const struct si_field service_move[] = {
	UINT("onid", 16), UINT("tsid", 16), UINT("service_id", 16), END
};

static const struct si_field short_smoothing_buffer[] = {
	UINT("sb_size", 2), UINT("sb_leak_rate", 6), HEX("data"), END
};

static const struct si_field frequency_list[] = {
	ONES(6), UINT("coding_type", 2), UINTS("frequencies", 32), END
};

static const struct si_field partial_transport_stream[] = {
	ONES(2), UINT("peak_rate", 22), ONES(2),
	UINT("minimum_smoothing_rate", 22), ONES(2),
	UINT("maximum_smoothing_buffer", 14), END
};

static const struct si_field data_broadcast[] = {
	UINT("data_broadcast_id", 16), UINT("component_tag", 8),
	HEX8("selector"), ASCII("lang", 3), TEXT8("text"), END
};

static const struct si_field scrambling[] = { UINT("scrambling_mode", 8), END };

static const struct si_field data_broadcast_id[] = {
	UINT("data_broadcast_id", 16), HEX("selector"), END
};

static const struct si_field pdc[] = { ONES(4), UINT("pil", 20), END };

/* Reads or writes a flag for each name: whether the number with this key
 * follows (run_announced).  Returns the flags as bits, the first as bit 0. */
static unsigned run_flags(struct codec *c, const char *const *names)
{
	unsigned flags = 0;

	for (unsigned i = 0; names[i] != NULL; i++)
		flags |= (unsigned)codec_bits(c, 1, codec_has(c, names[i]))
			 << i;
	return flags;
}

static void run_announced(struct codec *c, unsigned flags,
			  const char *const *names)
{
	for (unsigned i = 0; names[i] != NULL; i++)
		if (flags >> i & 1)
			(void)codec_uint(c, names[i], 8);
}

/* The optional numbers of the AC-3 and E-AC-3 descriptors (EN 300 468 annex
 * D). */
static const char *const ac3_names[] = {
	"component_type", "bsid", "mainid", "asvc", NULL,
};

static void run_ac3(struct codec *c)
{
	unsigned flags = run_flags(c, ac3_names);

	(void)codec_bits(c, 4, 0);
	run_announced(c, flags, ac3_names);
}

static void run_enhanced_ac3(struct codec *c)
{
	static const char *const substreams[] = {
		"substream1", "substream2", "substream3", NULL,
	};
	unsigned flags = run_flags(c, ac3_names), more;

	(void)codec_flag(c, "mixinfo");
	more = run_flags(c, substreams);
	run_announced(c, flags, ac3_names);
	run_announced(c, more, substreams);
}

static void run_aac(struct codec *c)
{
	static const char *const type[] = { "aac_type", NULL };
	unsigned flags;

	(void)codec_uint(c, "profile_and_level", 8);
	/* the byte with the flag may be missing; it is written if the object
	 * has a key of the bytes behind it */
	if (!codec_more(c, "aac_type") && !codec_has(c, "data"))
		return;
	flags = run_flags(c, type);
	(void)codec_bits(c, 7, 0);
	run_announced(c, flags, type);
}

static const struct si_field ac3[] = { CALL(run_ac3), HEX("data"), END };
static const struct si_field enhanced_ac3[] = {
	CALL(run_enhanced_ac3), HEX("data"), END
};
static const struct si_field aac[] = { CALL(run_aac), HEX("data"), END };

static const struct si_field ancillary_data[] = {
	UINT("ancillary_data_identifier", 8), END
};

static const struct si_field application[] = {
	ONES(1), UINT("application_type", 15), ONES(3), UINT("ait_version", 5),
	END
};
static const struct si_field application_signalling[] = {
	LIST("applications", application), END
};

static const struct si_field adaptation_field_data[] = {
	UINT("adaptation_field_data_identifier", 8), END
};

static const struct si_field service_identifier[] = {
	TEXT("service_identifier"), END
};

static const struct si_field default_authority[] = {
	TEXT("default_authority"), END
};

static const struct si_field tva_id[] = {
	UINT("tva_id", 16), ONES(5), UINT("running_status", 3), END
};
static const struct si_field tva_ids[] = { LIST("ids", tva_id), END };

static const struct si_field service_availability[] = {
	FLAG("available"), ONES(7), UINTS("cells", 16), END
};

static const struct si_field fta_content_management[] = {
	ONES(4), FLAG("do_not_scramble"), UINT("remote_access", 2),
	FLAG("do_not_apply_revocation"), END
};

static const struct si_field supplementary_audio[] = {
	FLAG("mix_type"), UINT("editorial_classification", 5), ONES(1),
	FLAG("has_lang"), HEX("data"), END
};

const struct desc_kind desc_dvb[0x40] = {
	[0x00] = { "network_name", network_name },
	[0x01] = { "service_list", service_list },
	[0x02] = { "stuffing", NULL },
	[0x03] = { "satellite_delivery_system", desc_satellite },
	[0x04] = { "cable_delivery_system", desc_cable },
	[0x05] = { "vbi_data", vbi_data },
	[0x06] = { "vbi_teletext", teletext },
	[0x07] = { "bouquet_name", bouquet_name },
	[0x08] = { "service", service },
	[0x09] = { "country_availability", country_availability },
	[0x0a] = { "linkage", desc_linkage },
	[0x0b] = { "nvod_reference", nvod_reference },
	[0x0c] = { "time_shifted_service", time_shifted_service },
	[0x0d] = { "short_event", desc_short_event },
	[0x0e] = { "extended_event", desc_extended_event },
	[0x0f] = { "time_shifted_event", time_shifted_event },
	[0x10] = { "component", desc_component },
	[0x11] = { "mosaic", NULL },
	[0x12] = { "stream_id", stream_identifier },
	[0x13] = { "ca_identifier", ca_identifier },
	[0x14] = { "content", desc_content },
	[0x15] = { "parental_rating", desc_parental_rating },
	[0x16] = { "teletext", teletext },
	[0x17] = { "telephone", NULL },
	[0x18] = { "local_time_offset", desc_local_time_offset },
	[0x19] = { "subtitling", subtitling },
	[0x1a] = { "terrestrial_delivery_system", desc_terrestrial },
	[0x1b] = { "multilingual_network_name", multilingual_name },
	[0x1c] = { "multilingual_bouquet_name", multilingual_name },
	[0x1d] = { "multilingual_service_name", multilingual_service_name },
	[0x1e] = { "multilingual_component", multilingual_component },
	[0x1f] = { "private_data_specifier", private_data_specifier },
	[0x20] = { "service_move", service_move },
	[0x21] = { "short_smoothing_buffer", short_smoothing_buffer },
	[0x22] = { "frequency_list", frequency_list },
	[0x23] = { "partial_transport_stream", partial_transport_stream },
	[0x24] = { "data_broadcast", data_broadcast },
	[0x25] = { "scrambling", scrambling },
	[0x26] = { "data_broadcast_id", data_broadcast_id },
	[0x27] = { "transport_stream", NULL },
	[0x28] = { "dsng", NULL },
	[0x29] = { "pdc", pdc },
	[0x2a] = { "ac3", ac3 },
	[0x2b] = { "ancillary_data", ancillary_data },
	[0x2c] = { "cell_list", NULL },
	[0x2d] = { "cell_frequency_link", NULL },
	[0x2e] = { "announcement_support", NULL },
	[0x2f] = { "application_signalling", application_signalling },
	[0x30] = { "adaptation_field_data", adaptation_field_data },
	[0x31] = { "service_identifier", service_identifier },
	[0x32] = { "service_availability", service_availability },
	[0x33] = { "default_authority", default_authority },
	[0x34] = { "related_content", NULL },
	[0x35] = { "tva_id", tva_ids },
	[0x36] = { "content_identifier", desc_content_identifier },
	[0x37] = { "time_slice_fec_identifier", NULL },
	[0x38] = { "ecm_repetition_rate", NULL },
	[0x39] = { "s2_satellite_delivery_system", desc_s2_satellite },
	[0x3a] = { "enhanced_ac3", enhanced_ac3 },
	[0x3b] = { "dts", NULL },
	[0x3c] = { "aac", aac },
	[0x3d] = { "xait_location", NULL },
	[0x3e] = { "fta_content_management", fta_content_management },
};

const struct desc_kind desc_extensions[0x22] = {
	[0x00] = { "image_icon", NULL },
	[0x01] = { "cpcm_delivery_signalling", NULL },
	[0x04] = { "t2_delivery_system", desc_t2 },
	[0x05] = { "sh_delivery_system", NULL },
	[0x06] = { "supplementary_audio", supplementary_audio },
	[0x07] = { "network_change_notify", NULL },
	[0x08] = { "message", NULL },
	[0x09] = { "target_region", NULL },
	[0x0a] = { "target_region_name", NULL },
	[0x0b] = { "service_relocated", NULL },
	[0x0d] = { "c2_delivery_system", NULL },
	[0x0e] = { "dts_hd", NULL },
	[0x0f] = { "dts_neural", NULL },
	[0x10] = { "video_depth_range", NULL },
	[0x11] = { "t2mi", NULL },
	[0x13] = { "uri_linkage", NULL },
	[0x14] = { "ci_ancillary_data", NULL },
	[0x15] = { "ac4", NULL },
	[0x16] = { "c2_bundle_delivery_system", NULL },
	[0x17] = { "s2x_satellite_delivery_system", NULL },
	[0x19] = { "audio_preselection", NULL },
	[0x20] = { "ttml_subtitling", NULL },
	[0x21] = { "dts_uhd", NULL },
};
