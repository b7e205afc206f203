# SPDX-License-Identifier: GPL-3.0-or-later
# sluicectl: the library is for its tests.
noinst_LIBRARIES += libctl.a
libctl_a_SOURCES = \
	ctl/alarm_text.c ctl/alarm_text.h \
	ctl/cmd_analysis.c \
	ctl/cmd_announcements.c \
	ctl/cmd_satip.c \
	ctl/api_client.c ctl/api_client.h \
	ctl/client.c ctl/client.h \
	ctl/commands.h \
	ctl/cmd_config.c \
	ctl/config_edit.c ctl/config_edit.h \
	ctl/config_view.c ctl/config_view.h \
	ctl/ctl.h \
	ctl/cmd_events.c \
	ctl/diff_effect.c ctl/diff_effect.h \
	ctl/event_feed.c ctl/event_feed.h \
	ctl/file.c ctl/file.h \
	ctl/json_diff.c ctl/json_diff.h \
	ctl/json_path.c ctl/json_path.h \
	ctl/keyring.c ctl/keyring.h \
	ctl/cmd_login.c \
	ctl/cmd_network.c \
	ctl/ctl_options.c ctl/ctl_options.h \
	ctl/overview.c ctl/overview.h \
	ctl/print.c ctl/print.h \
	ctl/screen.c ctl/screen.h \
	ctl/secret_prompt.c ctl/secret_prompt.h \
	ctl/ctl_settings.c ctl/ctl_settings.h \
	ctl/cmd_status.c ctl/cmd_status.h \
	ctl/cmd_streams.c \
	ctl/table.c ctl/table.h \
	ctl/text.c ctl/text.h \
	ctl/cmd_top.c \
	ctl/cmd_viewers.c \
	ctl/ws.c ctl/ws.h

bin_PROGRAMS += sluicectl
sluicectl_SOURCES = ctl/main.c
sluicectl_LDADD = libctl.a libproto.a libcommon.a \
	$(CURL_LIBS) $(WSLAY_LIBS) $(JANSSON_LIBS)
