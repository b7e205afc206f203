# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libproto.a
EXTRA_DIST += proto/MESSAGES.md
libproto_a_SOURCES =

# between master and workers
libproto_a_SOURCES += \
	proto/alarm.c proto/alarm.h \
	proto/channel.c proto/channel.h \
	proto/contract.h \
	proto/link_stat.c proto/link_stat.h \
	proto/msg.c proto/msg.h \
	proto/msg_analysis.c \
	proto/msg_auth.c \
	proto/msg_deliver.c \
	proto/msg_desc.h \
	proto/msg_fields.c proto/msg_fields.h \
	proto/msg_querier.c \
	proto/msg_receivers.c \
	proto/msg_scan.c \
	proto/msg_softcam.c \
	proto/msg_stream.c \
	proto/msg_tls.c \
	proto/msg_worker.c \
	proto/report_shape.c proto/report_shape.h

# JSON
libproto_a_SOURCES += \
	proto/json_text.c proto/json_text.h

# addresses
libproto_a_SOURCES += \
	proto/http_spec.h \
	proto/io/authority.c \
	proto/io/file.c \
	proto/io/host_port.c \
	proto/io/http_input.c proto/io/http_output.c \
	proto/io/inner.c proto/io/merge.c \
	proto/io/mux.c \
	proto/io/np.c \
	proto/io/option.c proto/io/option.h \
	proto/io/rist.c \
	proto/io/sdp.c \
	proto/io/srt.c \
	proto/io/stream.c \
	proto/io/type.h proto/io/udp.c \
	proto/io_spec.c proto/io_spec.h \
	proto/option_value.c proto/option_value.h \
	proto/remux_options.c proto/remux_options.h \
	proto/rtp_spec.h \
	proto/rist_spec.h \
	proto/srt_spec.h \
	proto/stream_spec.c proto/stream_spec.h

# wire protocols
libproto_a_SOURCES += \
	proto/http_guard.c proto/http_guard.h \
	proto/http_request.c proto/http_request.h \
	proto/http_target.c proto/http_target.h \
	proto/ws_frame.c proto/ws_frame.h

if LLHTTP_BUNDLED
LLHTTP_LINK = libllhttp.a
# The parser is other people's code: copied here, built as it comes.
noinst_LIBRARIES += libllhttp.a
nodist_libllhttp_a_SOURCES = \
	proto/llhttp/llhttp.c proto/llhttp/api.c proto/llhttp/http.c
libllhttp_a_CFLAGS = -std=gnu11 -w $(HARDEN_FLAGS) $(SAN_FLAGS)
CLEANFILES += $(nodist_libllhttp_a_SOURCES)

$(nodist_libllhttp_a_SOURCES): proto/llhttp/%.c: $(LLHTTP_SRC)/%.c
	$(AM_V_GEN)$(MKDIR_P) proto/llhttp && cp $< $@
else
LLHTTP_LINK = $(LLHTTP_LIBS)
endif
