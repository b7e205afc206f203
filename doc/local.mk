# SPDX-License-Identifier: GPL-3.0-or-later
dist_man_MANS += \
	doc/sluice.8 \
	doc/sluice.json.5 \
	doc/sluicectl.1
dist_doc_DATA += \
	doc/api.md \
	doc/architecture.md \
	doc/asyncapi.yaml \
	doc/benchmarks.md \
	doc/dependencies.md \
	doc/openapi.yaml \
	doc/scenarios.md \
	doc/web.md
# the pictures of web.md
docwebdir = $(docdir)/web
dist_docweb_DATA = \
	doc/web/edit-wide-light.png \
	doc/web/incidents-wide-light.png \
	doc/web/preview-wide-dark.png \
	doc/web/streams-wide-light.png \
	doc/web/wall-1000-large-dark.png \
	doc/web/wall-narrow-light.png \
	doc/web/wall-wide-dark.png
