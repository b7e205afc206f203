# SPDX-License-Identifier: GPL-3.0-or-later
libcommon_a_SOURCES += \
	common/base/address.c common/base/address.h \
	common/base/alloc.c common/base/alloc.h \
	common/base/buf.c common/base/buf.h \
	common/base/clock_sync.c common/base/clock_sync.h \
	common/base/crc32.c common/base/crc32.h \
	common/base/errmsg.c common/base/errmsg.h \
	common/base/fd.c common/base/fd.h \
	common/base/file_list.c common/base/file_list.h \
	common/base/hash.h \
	common/base/hex.h \
	common/base/iface.c common/base/iface.h \
	common/base/ip_prefix.c common/base/ip_prefix.h \
	common/base/landlock.c common/base/landlock.h \
	common/base/log.c common/base/log.h \
	common/base/log_word.c common/base/log_word.h \
	common/base/mono.c common/base/mono.h \
	common/base/password.c common/base/password.h \
	common/base/peers.c common/base/peers.h \
	common/base/playlist_limit.c common/base/playlist_limit.h \
	common/base/prefetch.h \
	common/base/process.c common/base/process.h \
	common/base/ratelimit.c common/base/ratelimit.h \
	common/base/ring.c common/base/ring.h common/base/ring_header.h \
	common/base/ring_segment.c common/base/ring_segment.h \
	common/base/segment_rate.c common/base/segment_rate.h \
	common/base/session_number.c common/base/session_number.h \
	common/base/shared.c common/base/shared.h \
	common/base/sip_hash.c common/base/sip_hash.h \
	common/base/sockaddr.c common/base/sockaddr.h \
	common/base/sorted.h \
	common/base/typo.c common/base/typo.h \
	common/base/units.h \
	common/base/utf8.c common/base/utf8.h \
	common/base/util.h \
	common/base/wall.c common/base/wall.h \
	common/base/x509_text.c common/base/x509_text.h
