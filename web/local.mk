# SPDX-License-Identifier: GPL-3.0-or-later
# The web interface.  Its files are part of the program; web/embed puts them
# together with those that npm installs.
web_pages = \
	web/common/address.js \
	web/common/api.js \
	web/common/base.css \
	web/common/filter.js \
	web/common/forms.js \
	web/common/headend.js \
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
	web/common/words-later-en.js \
	web/common/words-later-ru.js \
	web/common/words-ru.js \
	web/common/words.js \
	web/headend/actions.js \
	web/headend/adapters.js \
	web/headend/address-field.js \
	web/headend/analysis.js \
	web/headend/analyzer.js \
	web/headend/app.js \
	web/headend/auth.js \
	web/headend/bulk.js \
	web/headend/cam-slots.js \
	web/headend/cam.js \
	web/headend/cas.js \
	web/headend/categories.js \
	web/headend/certificate.js \
	web/headend/charts.js \
	web/headend/codecs.js \
	web/headend/configuration.js \
	web/headend/copy.js \
	web/headend/curl-line.js \
	web/headend/curl.js \
	web/headend/current.js \
	web/headend/dialog.js \
	web/headend/doc-diff.js \
	web/headend/draft.js \
	web/headend/drag.js \
	web/headend/edit.css \
	web/headend/edit.js \
	web/headend/ends.js \
	web/headend/entries.js \
	web/headend/entry-id.js \
	web/headend/field-groups.js \
	web/headend/field.js \
	web/headend/fields.js \
	web/headend/form-dialog.js \
	web/headend/found.js \
	web/headend/frame.css \
	web/headend/groups.js \
	web/headend/help.js \
	web/headend/history.js \
	web/headend/icon.svg \
	web/headend/incident-list.js \
	web/headend/incidents.js \
	web/headend/index.html \
	web/headend/keys.js \
	web/headend/log.css \
	web/headend/log.js \
	web/headend/logging.js \
	web/headend/login.js \
	web/headend/main.js \
	web/headend/menu.js \
	web/headend/merge.js \
	web/headend/mux-list.js \
	web/headend/mux.css \
	web/headend/mux.js \
	web/headend/name-dialog.js \
	web/headend/network.css \
	web/headend/network.js \
	web/headend/once.js \
	web/headend/output-group-edit.js \
	web/headend/output-groups.js \
	web/headend/pages.css \
	web/headend/pages.js \
	web/headend/palette.js \
	web/headend/picture.js \
	web/headend/place.js \
	web/headend/players.js \
	web/headend/plot.js \
	web/headend/poll.js \
	web/headend/preview.js \
	web/headend/programs.js \
	web/headend/psi.js \
	web/headend/route.js \
	web/headend/rows.js \
	web/headend/satip-servers.js \
	web/headend/scan.js \
	web/headend/section.js \
	web/headend/selection.js \
	web/headend/server-list.js \
	web/headend/servers.js \
	web/headend/sessions.js \
	web/headend/settings.js \
	web/headend/setup-servers.js \
	web/headend/setup.js \
	web/headend/shell.js \
	web/headend/siren.js \
	web/headend/sizes.js \
	web/headend/softcams.js \
	web/headend/stream.css \
	web/headend/stream.js \
	web/headend/streams.css \
	web/headend/streams.js \
	web/headend/strip.js \
	web/headend/style.js \
	web/headend/tables.js \
	web/headend/tiles.js \
	web/headend/transponder-list.js \
	web/headend/transponders.js \
	web/headend/trial.js \
	web/headend/units-dvb.js \
	web/headend/upload.js \
	web/headend/user-edit.js \
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
	web/parts/hls.d.ts \
	web/parts/hooks.d.ts \
	web/parts/htm.d.ts \
	web/parts/mpegts.d.ts \
	web/parts/preact.d.ts \
	web/parts/uplot.d.ts \
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
