# SPDX-License-Identifier: GPL-3.0-or-later
#
# Work-arounds for defects of librist.  Debian 12 has version 0.2.7, the oldest
# that configure.ac accepts.  All defects below were seen with 0.2.7.
#
#   file           defect of librist 0.2.7                 test
#   rist_filter    trusts lengths in datagrams: endless    test_rist_filter,
#                  loop, writes outside its buffers;       rist-peers.mjs
#                  accepts clear text despite a secret
#   rist_guard     has no function that returns its        test_rist_guard
#                  sockets, which the filter needs
#   rist_sources   simple profile: data from the source    test_rist_sources,
#                  port of reports ends the process        rist-places.mjs
#   rist_place     binds a port that another program has,  test_rist_place,
#                  gives no reason for an error, ends the  rist-places.mjs
#                  process if only one port of two is free
#   rist_threads   its threads can loop or block for ever  test_rist_threads,
#                  and have no sign of life                rist-stuck.mjs
#
# Outside of this folder: rist_peers_on_connect() ignores the port that librist
# passes in the main profile, on_thread() reads `begins' from the wrong
# argument, rist_gaps counts losses that librist does not count, and on_log()
# of rist_link runs the guard while librist holds its lock.
#
# To delete one: raise the version in configure.ac to a librist in which the
# defect is fixed, remove the call, and run the system tests named above with
# that librist.  rist_guard goes with rist_filter and rist_sources.
sluice_worker_net_SOURCES += \
	worker/net/librist/rist_filter.c worker/net/librist/rist_filter.h \
	worker/net/librist/rist_guard.c worker/net/librist/rist_guard.h \
	worker/net/librist/rist_place.c worker/net/librist/rist_place.h \
	worker/net/librist/rist_sources.c worker/net/librist/rist_sources.h \
	worker/net/librist/rist_threads.c worker/net/librist/rist_threads.h

