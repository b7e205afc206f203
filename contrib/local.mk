# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += \
	.ci/run \
	contrib/check-lanes.sh \
	contrib/check-style.sh \
	contrib/debian \
	contrib/folder-order \
	contrib/lanes.sh \
	contrib/make-demo-clip \
	contrib/progress.sh \
	contrib/quickstart \
	contrib/reproducible
if !SANITIZERS
TESTS += contrib/check-lanes.sh contrib/check-style.sh
endif

# make deb: a package for Debian from the tarball of a release, in debian-build/
deb_from = debian-build/$(distdir)
deb: dist-gzip
	rm -rf debian-build && $(MKDIR_P) debian-build
	tar -C debian-build -xzf $(distdir).tar.gz
	cp -R $(srcdir)/contrib/debian $(deb_from)/debian
	printf '%s (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' \
		$(PACKAGE) $(VERSION) 'See NEWS.gz.' \
		"$$(sed -n 's/^Maintainer: //p' $(deb_from)/debian/control)" \
		"$$(LC_ALL=C date -u -R -r $(srcdir)/NEWS)" \
		> $(deb_from)/debian/changelog
	cd $(deb_from) && dpkg-buildpackage -b -us -uc
# make check-deb: installs, upgrades and removes it in a container
check-deb: deb
	builddir='$(abs_builddir)' srcdir='$(srcdir)' NODE='$(NODE)' \
		sh $(srcdir)/tests/helpers/run-node.sh \
		$(srcdir)/tests/deb/package.mjs
EXTRA_DIST += tests/deb/package.mjs
.PHONY: deb check-deb
dist_bashcompletion_DATA = contrib/completion/sluice \
	contrib/completion/sluicectl
