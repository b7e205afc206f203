# SPDX-License-Identifier: GPL-3.0-or-later
# The documents of the control interface against their standards, the sources,
# and what the system tests have seen.
reference_tests = \
	tests/reference/complete.mjs \
	tests/reference/documents.mjs \
	tests/reference/schemas.mjs \
	tests/reference/seen.mjs
EXTRA_DIST += $(reference_tests) \
	tests/reference/package.json \
	tests/reference/package-lock.json

if HAVE_NODE
# The documents are the same in both builds of contrib/quickstart.
if !SANITIZERS
TESTS += $(reference_tests)
endif

# Each test reads the documents, and JSON takes a hundredth of the time.
documents = tests/reference/openapi.json tests/reference/asyncapi.json
check_DATA += $(documents)
CLEANFILES += $(documents)
tests/reference/%.json: doc/%.yaml
	$(AM_V_GEN)$(MKDIR_P) tests/reference && \
	NODE_PATH="$${NODE_PATH:+$$NODE_PATH:}/usr/share/nodejs" $(NODE) -p \
	'JSON.stringify(require("js-yaml").load(fs.readFileSync(0, "utf8")))' \
	<$< >$@.tmp && \
	mv $@.tmp $@

# It reads what they wrote down.
tests/reference/seen.log: $(all_system_tests:.mjs=.log)
endif

reference-tools:
	$(MKDIR_P) reference-tools
	cp $(srcdir)/tests/reference/package.json \
		$(srcdir)/tests/reference/package-lock.json reference-tools
	cd reference-tools && npm ci --ignore-scripts --no-audit --no-fund
.PHONY: reference-tools

clean-local: reference-clean
reference-clean:
	rm -rf reference-tools tests/reference/seen
.PHONY: reference-clean
