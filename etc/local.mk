# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += \
	etc/demo.json \
	etc/demo.ts \
	etc/sluice.json \
	etc/sluice-clean.service.in \
	etc/sluice.service.in \
	etc/sluice.sysusers \
	etc/sluice.tmpfiles.in

# sluice@.service runs one of several instances, with folders of its own
systemdsystemunit_DATA = etc/sluice.service etc/sluice@.service \
	etc/sluice-clean.service etc/sluice-clean@.service
examplesdir = $(docdir)/examples
dist_examples_DATA = etc/fail2ban-sluice.conf etc/grafana-dashboard.json \
	etc/prometheus-alerts.yml etc/sluice.json etc/zabbix-template.yaml
dist_pkgdata_DATA = etc/demo.ts
pkgdata_DATA = etc/installed/demo.json
# the program of another machine cannot print it
if !CROSS_COMPILING
pkgdata_DATA += etc/config.schema.json
endif
CLEANFILES += $(systemdsystemunit_DATA) etc/sluice.tmpfiles \
	etc/config.schema.json etc/installed/demo.json

fill = $(AM_V_GEN)$(MKDIR_P) etc && $(SED) \
	-e 's|@sbindir[@]|$(sbindir)|g' \
	-e 's|@sysconfdir[@]|$(sysconfdir)|g'

fill_one = $(fill) -e 's|@at[@]||g' -e 's|@in[@]||g'
fill_each = $(fill) -e 's|@at[@]|@%i|g' -e 's|@in[@]|sluice@%i/|g'

etc/sluice.service: $(srcdir)/etc/sluice.service.in Makefile
	$(fill_one) $(srcdir)/etc/sluice.service.in > $@
etc/sluice@.service: $(srcdir)/etc/sluice.service.in Makefile
	$(fill_each) $(srcdir)/etc/sluice.service.in > $@
etc/sluice-clean.service: $(srcdir)/etc/sluice-clean.service.in Makefile
	$(fill_one) $(srcdir)/etc/sluice-clean.service.in > $@
etc/sluice-clean@.service: $(srcdir)/etc/sluice-clean.service.in Makefile
	$(fill_each) $(srcdir)/etc/sluice-clean.service.in > $@
etc/sluice.tmpfiles: $(srcdir)/etc/sluice.tmpfiles.in Makefile
	$(fill) $(srcdir)/etc/sluice.tmpfiles.in > $@
etc/installed/demo.json: $(srcdir)/etc/demo.json Makefile
	$(AM_V_GEN)$(MKDIR_P) etc/installed && $(SED) \
		-e 's|/usr/local/share/sluice|$(pkgdatadir)|' \
		$(srcdir)/etc/demo.json > $@
etc/config.schema.json: sluice$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) etc && ./sluice$(EXEEXT) --schema > $@.new && \
		mv $@.new $@
all-local: etc/sluice.tmpfiles

# systemd requires other file names in the target folders than the tree has.
install-data-local: etc/sluice.tmpfiles
	$(MKDIR_P) '$(DESTDIR)$(sysusersdir)' '$(DESTDIR)$(tmpfilesdir)'
	$(INSTALL_DATA) $(srcdir)/etc/sluice.sysusers \
		'$(DESTDIR)$(sysusersdir)/sluice.conf'
	$(INSTALL_DATA) etc/sluice.tmpfiles \
		'$(DESTDIR)$(tmpfilesdir)/sluice.conf'
uninstall-local:
	rm -f '$(DESTDIR)$(sysusersdir)/sluice.conf' \
		'$(DESTDIR)$(tmpfilesdir)/sluice.conf'
