# SPDX-License-Identifier: GPL-3.0-or-later
libproto_a_SOURCES += \
	proto/spec/address_open.c proto/spec/address_open.h \
	proto/spec/alarm.c proto/spec/alarm.h \
	proto/spec/biss.c proto/spec/biss.h \
	proto/spec/cam_spec.c proto/spec/cam_spec.h \
	proto/spec/cas_spec.c proto/spec/cas_spec.h \
	proto/spec/desc_edit.c proto/spec/desc_edit.h \
	proto/spec/epg_export.c proto/spec/epg_export.h \
	proto/spec/epg_source.c proto/spec/epg_source.h \
	proto/spec/field.c proto/spec/field.h \
	proto/spec/field_describe.c proto/spec/field_widen.c \
	proto/spec/field_limits.h \
	proto/spec/field_form.c \
	proto/spec/field_idle.c proto/spec/field_idle.h \
	proto/spec/field_parse.c proto/spec/field_parse.h \
	proto/spec/field_read.c proto/spec/field_reader.h \
	proto/spec/field_value.c \
	proto/spec/http_spec.h \
	proto/spec/io_foreign.c proto/spec/io_foreign.h \
	proto/spec/io_http_client.c \
	proto/spec/io_http_output.c \
	proto/spec/io_inner.c \
	proto/spec/io_local.c \
	proto/spec/io_place.c \
	proto/spec/io_rist.c \
	proto/spec/io_spec.c proto/spec/io_spec.h \
	proto/spec/io_srt.c \
	proto/spec/io_type.h \
	proto/spec/io_udp.c \
	proto/spec/link_stat.c proto/spec/link_stat.h \
	proto/spec/option_value.c proto/spec/option_value.h \
	proto/spec/plan_shape.c proto/spec/plan_shape.h \
	proto/spec/remux_options.c proto/spec/remux_options.h \
	proto/spec/report_shape.c proto/spec/report_shape.h \
	proto/spec/rist_spec.h \
	proto/spec/rtp_spec.h \
	proto/spec/srt_spec.h \
	proto/spec/satip_spec.c proto/spec/satip_spec.h \
	proto/spec/shape.h \
	proto/spec/si_section.c \
	proto/spec/stream_spec.c proto/spec/stream_spec.h \
	proto/spec/tables_spec.c proto/spec/tables_spec.h \
	proto/spec/own_services.h \
	proto/spec/ci_spec.c proto/spec/ci_spec.h \
	proto/spec/t2mi_spec.c proto/spec/t2mi_spec.h \
	proto/spec/tuner_isdbt.c proto/spec/tuner_isdbt.h \
	proto/spec/tuner_sat.c proto/spec/tuner_sat.h \
	proto/spec/scan_spec.c proto/spec/scan_spec.h \
	proto/spec/tuner_spec.c proto/spec/tuner_spec.h \
	proto/spec/value_open.c proto/spec/value_open.h
