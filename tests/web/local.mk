# SPDX-License-Identifier: GPL-3.0-or-later
# The modules of the web interface, and its parts.  Both are the same in every
# build of contrib/quickstart.
web_tests = \
	tests/web/browser.mjs \
	tests/web/browser-drafts.mjs \
	tests/web/browser-edit.mjs \
	tests/web/browser-far.mjs \
	tests/web/browser-keys.mjs \
	tests/web/browser-lists.mjs \
	tests/web/browser-load.mjs \
	tests/web/browser-setup.mjs \
	tests/web/browser-stream.mjs \
	tests/web/browser-tuners.mjs \
	tests/web/firefox.mjs \
	tests/web/forms.mjs \
	tests/web/live.mjs \
	tests/web/pure.mjs \
	tests/web/pure-app.mjs \
	tests/web/pure-pages.mjs \
	tests/web/tree.mjs
EXTRA_DIST += $(web_tests) tests/web/screenshots.mjs

# make screenshots [PICTURES='wall-wide-dark ...']: pictures of every page, in
# build/screenshots, and those of doc/web.md.  It takes about five minutes.
doc_pictures = \
	edit-wide-light \
	incidents-wide-light \
	preview-wide-dark \
	streams-wide-light \
	wall-1000-large-dark \
	wall-narrow-light \
	wall-wide-dark
EXTRA_DIST += $(doc_pictures:%=doc/web/%.png)
.PHONY: screenshots
screenshots: sluice$(EXEEXT) sluice-worker$(EXEEXT) \
		sluice-worker-net$(EXEEXT) sluice-worker-picture$(EXEEXT)
	builddir='$(abs_builddir)' srcdir='$(abs_srcdir)' NODE='$(NODE)' \
		PICTURES='$(PICTURES)' $(SHELL) $(srcdir)/tests/helpers/run-node.sh \
		$(srcdir)/tests/web/screenshots.mjs
	mkdir -p $(srcdir)/doc/web
	cp $(doc_pictures:%=screenshots/%.png) $(srcdir)/doc/web/

if HAVE_NODE
if !SANITIZERS
TESTS += $(web_tests)
endif
endif
