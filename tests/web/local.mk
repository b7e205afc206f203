# SPDX-License-Identifier: GPL-3.0-or-later
# The modules of the web interface, and its parts.  Both are the same in every
# build of contrib/quickstart.
web_tests = \
	tests/web/browser.mjs \
	tests/web/browser-edit.mjs \
	tests/web/browser-far.mjs \
	tests/web/browser-lists.mjs \
	tests/web/browser-load.mjs \
	tests/web/browser-setup.mjs \
	tests/web/browser-stream.mjs \
	tests/web/firefox.mjs \
	tests/web/forms.mjs \
	tests/web/live.mjs \
	tests/web/pure.mjs \
	tests/web/pure-pages.mjs \
	tests/web/tree.mjs
EXTRA_DIST += $(web_tests)

if HAVE_NODE
if !SANITIZERS
TESTS += $(web_tests)
endif
endif
