# SPDX-License-Identifier: GPL-3.0-or-later
libworker_a_SOURCES += \
	worker/deliver/portion.c worker/deliver/portion.h \
	worker/deliver/deliver_conns.c \
	worker/deliver/deliver_demand.c worker/deliver/deliver_inner.h \
	worker/deliver/demand_wait.c worker/deliver/demand_wait.h \
	worker/deliver/blob.c worker/deliver/blob.h \
	worker/deliver/deliver.c worker/deliver/deliver.h \
	worker/deliver/door.c worker/deliver/door.h \
	worker/deliver/fragment_maker.c worker/deliver/fragment_maker.h \
	worker/deliver/fragments.c worker/deliver/fragments.h \
	worker/deliver/hls.c worker/deliver/hls.h \
	worker/deliver/hls_content.c worker/deliver/hls_content.h \
	worker/deliver/hls_fragments.c worker/deliver/hls_fragments.h \
	worker/deliver/hls_index.c worker/deliver/hls_index.h \
	worker/deliver/hls_name.c \
	worker/deliver/hls_playlist.c worker/deliver/hls_playlist.h \
	worker/deliver/hls_reload.c worker/deliver/hls_reload.h \
	worker/deliver/hls_sessions.c worker/deliver/hls_sessions.h \
	worker/deliver/lag.c worker/deliver/lag.h \
	worker/deliver/listener.c worker/deliver/listener.h \
	worker/deliver/mount.c worker/deliver/mount.h \
	worker/deliver/mount_table.c worker/deliver/mount_table.h \
	worker/deliver/page_pipe.c worker/deliver/page_pipe.h \
	worker/deliver/peer_link.c worker/deliver/peer_link.h \
	worker/deliver/pictures.c worker/deliver/pictures.h \
	worker/deliver/ring_body.c worker/deliver/ring_body.h \
	worker/deliver/ring_send.c worker/deliver/ring_send.h \
	worker/deliver/role.c \
	worker/deliver/scheme_location.c worker/deliver/scheme_location.h \
	worker/deliver/stream_lists.c worker/deliver/stream_lists.h \
	worker/deliver/viewer_session.c worker/deliver/viewer_session.h \
	worker/deliver/tls_link.c worker/deliver/tls_link.h \
	worker/deliver/viewer.c worker/deliver/viewer.h \
	worker/deliver/viewer_conn.c worker/deliver/viewer_conn.h \
	worker/deliver/visit.c worker/deliver/visit.h
