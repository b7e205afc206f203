# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/config/adapter_conf.c master/config/adapter_conf.h \
	master/config/category_name.c master/config/category_name.h \
	master/config/certificate_time.c master/config/certificate_time.h \
	master/config/check.c master/config/check.h \
	master/config/check_adapters.c \
	master/config/check_auth.c \
	master/config/check_categories.c \
	master/config/check_entries.c \
	master/config/check_file.c master/config/check_file.h \
	master/config/check_host.c master/config/check_host.h \
	master/config/check_links.c \
	master/config/check_others.c \
	master/config/check_names.c \
	master/config/check_mpts.c \
	master/config/check_places.c \
	master/config/check_port.c \
	master/config/check_log.c master/config/check_log.h \
	master/config/check_stream.c \
	master/config/authors.c master/config/authors.h \
	master/config/config.c master/config/config.h \
	master/config/config_fields.c master/config/config_fields.h \
	master/config/describe.c master/config/describe.h \
	master/config/effective.c master/config/effective.h \
	master/config/entry.c master/config/entry.h \
	master/config/entry_fields.c \
	master/config/findings.c master/config/findings.h \
	master/config/forms.c master/config/forms.h \
	master/config/lnb_sharing.c master/config/lnb_sharing.h \
	master/config/link_graph.c master/config/link_graph.h \
	master/config/judge.c master/config/judge.h \
	master/config/keep_active.c master/config/keep_active.h \
	master/config/loadable.c master/config/loadable.h \
	master/config/observed.c master/config/observed.h \
	master/config/place_names.c master/config/place_names.h \
	master/config/play_conf.c master/config/play_conf.h \
	master/config/playlist.c master/config/playlist.h \
	master/config/softcam_conf.c master/config/softcam_conf.h \
	master/config/stored.c master/config/stored.h \
	master/config/stream_conf.c master/config/stream_conf.h \
	master/config/stream_links.c master/config/stream_links.h \
	master/config/uploaded.c master/config/uploaded.h \
	master/config/unknown_keys.c master/config/unknown_keys.h \
	master/config/viewer_settings.c master/config/viewer_settings.h \
	master/config/variant.c master/config/variant.h \
	master/config/write_paths.c master/config/write_paths.h
