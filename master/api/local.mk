# SPDX-License-Identifier: GPL-3.0-or-later
libmaster_a_SOURCES += \
	master/api/access_line.c \
	master/api/adapter_events.c \
	master/api/adapter_warnings.c master/api/adapter_warnings.h \
	master/api/adapters.c \
	master/api/admit.c master/api/admit.h \
	master/api/alarms.c master/api/alarms.h \
	master/api/announcements.c \
	master/api/discovery.c master/api/discovery.h \
	master/api/satip_servers.c \
	master/api/api.c master/api/api.h \
	master/api/apply.c master/api/apply.h \
	master/api/auth_edit.c master/api/auth_edit.h \
	master/api/call.c master/api/call.h \
	master/api/cams.c \
	master/api/categories.c \
	master/api/category_edit.c master/api/category_edit.h \
	master/api/certificate.c master/api/certificate.h \
	master/api/changes.c master/api/changes.h \
	master/api/collection.c master/api/collection.h \
	master/api/command.c master/api/command.h \
	master/api/config_commands.c \
	master/api/cors.c master/api/cors.h \
	master/api/cue_commands.c \
	master/api/edit.c master/api/edit.h \
	master/api/effects.c master/api/effects.h \
	master/api/event.c \
	master/api/forms_query.c \
	master/api/guide_events.c \
	master/api/health.c \
	master/api/history_query.c \
	master/api/held_answer.c master/api/held_answer.h \
	master/api/host_files.c master/api/host_files.h \
	master/api/input_commands.c \
	master/api/lnb_sharers.c master/api/lnb_sharers.h \
	master/api/input_edit.c master/api/input_edit.h \
	master/api/log_feed.c master/api/log_feed.h \
	master/api/log_query.c \
	master/api/login.c \
	master/api/metrics.c \
	master/api/page.c \
	master/api/recordings.c master/api/recordings.h \
	master/api/redact.c master/api/redact.h \
	master/api/reload.c \
	master/api/reply_after_save.c master/api/reply_after_save.h \
	master/api/revisions_query.c master/api/revisions_query.h \
	master/api/route.c master/api/route.h \
	master/api/scan_input.c master/api/scan_input.h \
	master/api/scan_results.c master/api/scan_results.h \
	master/api/scan_weight.c master/api/scan_weight.h \
	master/api/scan_target.c master/api/scan_target.h \
	master/api/scans.c master/api/scans.h \
	master/api/section_warnings.c master/api/section_warnings.h \
	master/api/sections.c \
	master/api/sessions.c \
	master/api/settings.c \
	master/api/softcam_events.c \
	master/api/softcams.c \
	master/api/status_commands.c \
	master/api/stream_epg.c \
	master/api/stream_analysis.c \
	master/api/stream_adapters.c master/api/stream_adapters.h \
	master/api/stream_refs.c master/api/stream_refs.h \
	master/api/streams.c \
	master/api/text_cache.c master/api/text_cache.h \
	master/api/test_softcam.c \
	master/api/variants.c master/api/variants.h \
	master/api/viewer_guide.c master/api/viewer_guide.h \
	master/api/viewer_door.c master/api/viewer_door.h \
	master/api/users.c \
	master/api/web_lists.c
