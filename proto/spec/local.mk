# SPDX-License-Identifier: GPL-3.0-or-later
libproto_a_SOURCES += \
	proto/spec/alarm.c proto/spec/alarm.h \
	proto/spec/field.c proto/spec/field.h \
	proto/spec/field_describe.c proto/spec/field_limits.h \
	proto/spec/field_read.c \
	proto/spec/http_spec.h \
	proto/spec/io_authority.c \
	proto/spec/io_file.c \
	proto/spec/io_host_port.c \
	proto/spec/io_http_input.c \
	proto/spec/io_http_output.c \
	proto/spec/io_inner.c \
	proto/spec/io_merge.c \
	proto/spec/io_mux.c \
	proto/spec/io_np.c \
	proto/spec/io_option.c proto/spec/io_option.h \
	proto/spec/io_rist.c \
	proto/spec/io_sdp.c \
	proto/spec/io_spec.c proto/spec/io_spec.h \
	proto/spec/io_srt.c \
	proto/spec/io_stream.c \
	proto/spec/io_type.h \
	proto/spec/io_udp.c \
	proto/spec/link_stat.c proto/spec/link_stat.h \
	proto/spec/option_value.c proto/spec/option_value.h \
	proto/spec/remux_options.c proto/spec/remux_options.h \
	proto/spec/report_shape.c proto/spec/report_shape.h \
	proto/spec/rist_spec.h \
	proto/spec/rtp_spec.h \
	proto/spec/srt_spec.h \
	proto/spec/stream_spec.c proto/spec/stream_spec.h
