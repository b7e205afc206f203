# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libproto.a
EXTRA_DIST += proto/ipc/MESSAGES.md
libproto_a_SOURCES =
include proto/ipc/local.mk
include proto/si/local.mk
include proto/spec/local.mk
include proto/wire/local.mk

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
