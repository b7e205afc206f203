# SPDX-License-Identifier: GPL-3.0-or-later
# sluicectl: the library is for its tests.
noinst_LIBRARIES += libctl.a
libctl_a_SOURCES = \
	ctl/analysis.c \
	ctl/announcements.c \
	ctl/api.c ctl/api.h \
	ctl/client.c ctl/client.h \
	ctl/commands.h \
	ctl/config.c \
	ctl/config_edit.c ctl/config_edit.h \
	ctl/ctl.h \
	ctl/events.c \
	ctl/feed.c ctl/feed.h \
	ctl/file.c ctl/file.h \
	ctl/json_diff.c ctl/json_diff.h \
	ctl/json_path.c ctl/json_path.h \
	ctl/keyring.c ctl/keyring.h \
	ctl/login.c \
	ctl/network.c \
	ctl/options.c ctl/options.h \
	ctl/overview.c ctl/overview.h \
	ctl/print.c ctl/print.h \
	ctl/screen.c ctl/screen.h \
	ctl/secret.c ctl/secret.h \
	ctl/settings.c ctl/settings.h \
	ctl/status.c ctl/status.h \
	ctl/streams.c \
	ctl/table.c ctl/table.h \
	ctl/text.c ctl/text.h \
	ctl/top.c \
	ctl/viewers.c \
	ctl/ws.c ctl/ws.h

bin_PROGRAMS += sluicectl
sluicectl_SOURCES = ctl/main.c
sluicectl_LDADD = libctl.a libproto.a libcommon.a \
	$(CURL_LIBS) $(WSLAY_LIBS) $(JANSSON_LIBS)
