# SPDX-License-Identifier: GPL-3.0-or-later
# A program of its own: libavcodec is for this role alone.
if WITH_PICTURE
noinst_LIBRARIES += libworkerpicture.a
libworkerpicture_a_CFLAGS = $(AM_CFLAGS) $(AVCODEC_CFLAGS)
libworkerpicture_a_SOURCES = \
	worker/picture/picture_frame.c worker/picture/picture_frame.h \
	worker/picture/picture_units.c worker/picture/picture_units.h \
	worker/picture/role.c

libexec_PROGRAMS += sluice-worker-picture
sluice_worker_picture_SOURCES = worker/picture/main.c
sluice_worker_picture_LDADD = libworkerpicture.a libworker.a libproto.a \
	libcommon.a $(LIBEV_LIBS) $(JANSSON_LIBS) $(AVCODEC_LIBS) \
	$(SECCOMP_LIBS)
endif
