# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/epg/guide.c worker/epg/guide.h worker/epg/guide_state.h \
	worker/epg/guide_json.c \
	worker/epg/guide_list.c worker/epg/guide_list.h \
	worker/epg/guide_names.c worker/epg/guide_other.c \
	worker/epg/guide_present.c worker/epg/guide_present.h \
	worker/epg/eit_answers.c worker/epg/eit_answers.h \
	worker/epg/epg_status.c worker/epg/epg_status.h \
	worker/epg/guide_status.c worker/epg/guide_shown.c \
	worker/epg/json_memory.c worker/epg/json_memory.h \
	worker/epg/guide_eit.c worker/epg/guide_eit.h \
	worker/epg/event_write.c worker/epg/event_write.h \
	worker/epg/guide_xmltv.c worker/epg/guide_xmltv.h \
	worker/epg/xmltv_write.c worker/epg/xmltv_write.h \
	worker/epg/xmltv_words.c worker/epg/xmltv_words.h \
	worker/epg/guide_record.c worker/epg/guide_record.h \
	worker/epg/guide_running.c worker/epg/guide_gone.c \
	worker/epg/guide_absent.c \
	worker/epg/guide_file.c worker/epg/guide_file.h \
	worker/epg/guide_import.c worker/epg/guide_import.h \
	worker/epg/guide_imported.c \
	worker/epg/xmltv_time.c worker/epg/xmltv_time.h \
	worker/epg/guide_event.c worker/epg/guide_event.h \
	worker/epg/epg_stream.c worker/epg/epg_stream.h \
	worker/epg/stream_news.c worker/epg/stream_news.h \
	worker/epg/role.c

# What needs libexpat and libcurl: only where the settings name sources or
# exports.
sluice_worker_net_SOURCES += \
	worker/epg/guide_posts.c worker/epg/guide_posts.h \
	worker/epg/source_reader.c worker/epg/source_reader.h \
	worker/epg/epg_sources.c worker/epg/epg_sources.h \
	worker/epg/import_feed.c worker/epg/import_feed.h \
	worker/epg/xmltv_read.c worker/epg/xmltv_read.h
