# SPDX-License-Identifier: GPL-3.0-or-later
# The web interface.  Its files are part of the program; web/embed puts them
# together with those that npm installs.
web_pages = \
	web/common/api.js \
	web/common/base.css \
	web/common/filter.js \
	web/common/live.js \
	web/common/prefs.js \
	web/common/ring.js \
	web/common/state.js \
	web/common/store.js \
	web/common/text.js \
	web/common/tick.js \
	web/common/time.js \
	web/common/tokens.css \
	web/common/units.js \
	web/common/words-en.js \
	web/common/words-ru.js \
	web/common/words.js \
	web/headend/actions.js \
	web/headend/analysis.js \
	web/headend/app.js \
	web/headend/chart.js \
	web/headend/dialog.js \
	web/headend/edit.css \
	web/headend/edit.js \
	web/headend/fields.js \
	web/headend/frame.css \
	web/headend/groups.js \
	web/headend/icon.svg \
	web/headend/index.html \
	web/headend/log.js \
	web/headend/login.js \
	web/headend/main.js \
	web/headend/merge.js \
	web/headend/pages.css \
	web/headend/poll.js \
	web/headend/route.js \
	web/headend/rows.js \
	web/headend/sessions.js \
	web/headend/shell.js \
	web/headend/sizes.js \
	web/headend/stream.js \
	web/headend/streams.js \
	web/headend/strip.js \
	web/headend/tiles.js \
	web/headend/users.js \
	web/headend/view.js \
	web/headend/viewers.js \
	web/headend/wall.js \
	web/headend/wrong.js
EXTRA_DIST += $(web_pages) \
	web/common/api-types.d.ts \
	web/embed \
	web/none/index.html \
	web/package-lock.json \
	web/package.json \
	web/parts.list \
	web/parts/hooks.d.ts \
	web/parts/htm.d.ts \
	web/parts/preact.d.ts \
	web/tsconfig.json

if WITH_WEB
web_files = $(web_pages)
else
web_files = web/none/index.html
endif

nodist_libmaster_a_SOURCES = web/static_tree.c
web/static_tree.c: $(web_files) web/embed web/parts.list web/package-lock.json
	$(AM_V_GEN)$(srcdir)/web/embed tree $(srcdir)/web web \
		$(web_files:web/%=%)

# A build from the tarball needs no npm.
dist-hook: dist-web
dist-web:
if WITH_WEB
	$(srcdir)/web/embed dist $(srcdir)/web $(distdir)/web/node_modules
else
	@echo "make dist needs a build with the web interface" >&2; exit 1
endif
.PHONY: dist-web

mostlyclean-local: web-clean
# both or none: the source includes the files of the tree
web-clean:
	rm -rf web/tree web/static_tree.c
.PHONY: web-clean
