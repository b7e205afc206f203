# SPDX-License-Identifier: GPL-3.0-or-later
sluice_worker_net_SOURCES += \
	worker/net/curl/fetch.c worker/net/curl/fetch.h \
	worker/net/curl/http_body.c worker/net/curl/http_body.h \
	worker/net/curl/http_headers.c worker/net/curl/http_headers.h \
	worker/net/curl/names.c worker/net/curl/names.h \
	worker/net/curl/reach.c worker/net/curl/reach.h \
	worker/net/curl/resolver.c worker/net/curl/resolver.h \
	worker/net/curl/transfer_error.c worker/net/curl/transfer_error.h \
	worker/net/curl/url.c worker/net/curl/url.h
