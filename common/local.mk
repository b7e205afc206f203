# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libcommon.a
libcommon_a_SOURCES = \
	common/address.c common/address.h \
	common/alloc.c common/alloc.h \
	common/buf.c common/buf.h \
	common/crc32.c common/crc32.h \
	common/errmsg.c common/errmsg.h \
	common/fd.c common/fd.h \
	common/file_list.c common/file_list.h \
	common/first_byte.c common/first_byte.h \
	common/hex.h \
	common/iface.c common/iface.h \
	common/ip_prefix.c common/ip_prefix.h \
	common/log.c common/log.h \
	common/mono.c common/mono.h \
	common/password.c common/password.h \
	common/ratelimit.c common/ratelimit.h \
	common/ring.c common/ring.h \
	common/shared.c common/shared.h \
	common/sockaddr.c common/sockaddr.h \
	common/sorted.h \
	common/thread.c common/thread.h \
	common/units.h \
	common/utf8.c common/utf8.h \
	common/util.h \
	common/wall.c common/wall.h \
	common/warm.h
