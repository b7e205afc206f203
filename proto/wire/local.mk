# SPDX-License-Identifier: GPL-3.0-or-later
libproto_a_SOURCES += \
	proto/wire/http_guard.c proto/wire/http_guard.h \
	proto/wire/http_range.c proto/wire/http_range.h \
	proto/wire/http_request.c proto/wire/http_request.h \
	proto/wire/http_status.c proto/wire/http_status.h \
	proto/wire/http_target.c proto/wire/http_target.h \
	proto/wire/json_reader.c proto/wire/json_reader.h \
	proto/wire/json_writer.c proto/wire/json_writer.h \
	proto/wire/json_text.c proto/wire/json_text.h \
	proto/wire/metrics_text.c proto/wire/metrics_text.h \
	proto/wire/ws_frame.c proto/wire/ws_frame.h
