# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/api/access_line.c master/api/access_line.h \
	master/api/adapter_edit.c master/api/adapter_edit.h \
	master/api/adapters.c \
	master/api/admit.c master/api/admit.h \
	master/api/api.c master/api/api.h \
	master/api/announcement_list.c master/api/announcement_list.h \
	master/api/announcements.c \
	master/api/apply.c master/api/apply.h \
	master/api/auth_edit.c master/api/auth_edit.h \
	master/api/call.c master/api/call.h \
	master/api/cas.c \
	master/api/certificate.c master/api/certificate.h \
	master/api/categories.c \
	master/api/category_edit.c master/api/category_edit.h \
	master/api/category_name.c master/api/category_name.h \
	master/api/command.h \
	master/api/config.c \
	master/api/edit.c master/api/edit.h \
	master/api/entries.c master/api/entries.h \
	master/api/event.c master/api/event.h \
	master/api/input_edit.c master/api/input_edit.h \
	master/api/login.c \
	master/api/object_edit.c master/api/object_edit.h \
	master/api/observer.c master/api/observer.h \
	master/api/output_groups.c \
	master/api/reload.c \
	master/api/rewrite.c master/api/rewrite.h \
	master/api/route.c master/api/route.h \
	master/api/saved.c master/api/saved.h \
	master/api/scan_list.c master/api/scan_list.h \
	master/api/scans.c \
	master/api/sections.c \
	master/api/servers.c \
	master/api/sessions.c \
	master/api/set_adapter.c \
	master/api/set_stream.c \
	master/api/set_user.c \
	master/api/settings.c \
	master/api/softcams.c \
	master/api/status.c \
	master/api/stream_analysis.c \
	master/api/stream_edit.c master/api/stream_edit.h \
	master/api/stream_input.c \
	master/api/streams.c \
	master/api/test_softcam.c \
	master/api/users.c master/api/users.h
