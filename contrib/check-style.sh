#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Judges the tree by the house rules; prints TAP.  Run it from anywhere.
set -u
LC_ALL=C
export LC_ALL
cd "${srcdir:-$(dirname "$0")/..}" || exit 99

# report N NAME < complaints: one line of TAP, complaints as diagnostics
report() {
	complaints=$(cat)
	if [ -z "$complaints" ]; then
		echo "ok $1 - $2"
	else
		echo "not ok $1 - $2"
		echo "$complaints" | sed 's/^/# /'
	fi
}

folders="common proto master worker ctl tests contrib"
c_files=$(find common proto master worker ctl tests -name '*.[ch]' | sort)
# fakedvb is a module of the kernel, with its licence
own_files=$(printf '%s\n' $c_files | grep -v '^tests/dvb/fakedvb/')
programs=$(find common proto master worker ctl -name '*.[ch]' | sort)
scripts=$(find tests contrib web -path web/node_modules -prune -o \
	\( -name '*.mjs' -o -name '*.sh' -o -path 'web/*.js' -o \
	-path 'web/*.css' -o -path 'web/*.ts' \) -print | sort)
for file in contrib/* .ci/* web/*; do
	[ -f "$file" ] && head -n 1 "$file" | grep -q '^#!' &&
		case $scripts in
		*"$file"*) ;;
		*) scripts="$scripts $file" ;;
		esac
done
makes=$(find . -name '*.mk' -not -path './build*' \
	-not -path './web/node_modules/*' | sort)

# other files with comments
others=$(find doc etc contrib tests -path '*/corpus' -prune -o \( \
	-name '*.[1-8]' -o -name '*.y*ml' -o -name '*.in' -o -name '*.conf' -o \
	-name '*.sysusers' -o -name '*.py' -o -path '*/completion/*' -o \
	-path '*/debian/rules' -o -path '*/debian/*.p*' \) -type f -print |
	sort)

echo "1..16"

# shellcheck disable=SC2086  # lists of our own file names, without spaces
{
awk '
	FNR == 1 { tab = FILENAME ~ /^web\// ? 4 : 8 } # templates are deep
	{ gsub(/[\200-\277]/, "") # the further bytes of a character
	  if (length($0) <= 80 && !index($0, "\t")) next
	  col = 0
	  n = split($0, part, "\t")
	  for (i = 1; i <= n; i++) {
		col += length(part[i])
		if (i < n) col += tab - col % tab
	  }
	  if (col > 80)
		print FILENAME ":" FNR ": " col " columns" }
' $c_files $scripts | report 1 "lines have at most 80 columns"

awk '
	FNR == 601 { print FILENAME ": over 600 lines" }
' $c_files $scripts | report 2 "files have at most 600 lines"

awk '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR }
	/^\}/ { if (start && FNR - start - 1 > 80)
			print FILENAME ":" start ": " FNR - start - 1 " lines"
		start = 0 }
' $c_files | report 3 "functions have at most 80 lines"

awk '
	FNR == 1 && name != "" { print name }
	FNR == 1 { name = FILENAME }
	FNR <= 3 && /SPDX-License-Identifier: GPL-3.0-or-later/ { name = "" }
	END { if (name != "") print name }
' $own_files $scripts $makes $others configure.ac Makefile.am |
	report 4 "every file names its licence"

awk '
	FILENAME !~ /\.c$/ { next }
	/^[ \t]*#[ \t]*if/ && ++n[FILENAME] == 2 { print FILENAME }
' $c_files | report 5 "a source has at most one #if"

grep -nwE 'TO[D]O|FIX[M]E|X[X]X' $c_files $scripts $makes |
	report 6 "nothing is left for later"

# contrib/folder-order lists the folders, ground first.
awk '
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	function program(path) { sub(/\/.*/, "", path); return path }
	FNR == NR { if ($0 !~ /^(#|$)/) place[$0] = ++n; next }
	FNR == 1 {
		own = folder(FILENAME)
		if (!(own in place) && !(own in told)) {
			print own ": is not listed in contrib/folder-order"
			told[own] = 1
		}
	}
	/^#include "/ {
		split($0, part, "\"")
		other = folder(part[2])
		if (part[2] == "config.h")
			next
		where = FILENAME ":" FNR ": " part[2]
		if (!(other in place))
			print where ": is in no listed folder"
		else if (place[other] > place[own])
			print where ": " other " is above " own
		else if (program(other) ~ /^(master|worker|ctl)$/ &&
			program(other) != program(own))
			print where ": is of another program"
	}
' contrib/folder-order $programs |
	report 7 "includes follow contrib/folder-order"

# automake strips the extension: two of a name would share one log
find $folders \( -path '*/data/*' -o -path '*/corpus/*' \) -prune -o \
	-path 'tests/*' -type f \
	\( -name '*.c' -o -name '*.mjs' -o -name '*.sh' \) -print |
	sed 's/\.[^.]*$//' | sort | uniq -d |
	report 8 "tests of a folder have names of their own"

printf '%s\n' $programs | grep '\.c$' |
	grep -vE '/(main|role)\.c$' |
	awk -F/ '{ if ($NF in seen) print $0 " and " seen[$NF]
		   seen[$NF] = $0 }' |
	report 9 "a name of a source occurs once, but main.c and role.c"

for file in tests/fuzz/fuzz_*.c; do
	name=${file#tests/fuzz/fuzz_}
	printf '%s\n' $programs | grep -q "/$name\$" ||
		echo "$file: no source is called $name"
done | report 10 "a fuzz target is called after the source that it tests"

# a test that no makefile names is never run
find tests -name 'test_*.c' -o -name '*.mjs' -path 'tests/system/*' | sort |
	while read -r file; do
		# shellcheck disable=SC2086
		grep -qF "${file%.c}" $makes || echo "$file: is in no makefile"
	done | report 11 "every test is in a makefile"

# doc/architecture.md lists folders, roles and messages; the code has the truth.
{
	page=doc/architecture.md
	lines=$(wc -l < $page)
	[ "$lines" -le 300 ] || echo "$page: $lines lines, not 300"
	listed=$(sed -n '/^## Folders/,/^## Control/p' $page |
		grep -oE '\b(common|proto|master|worker|ctl)(/[a-z0-9]+)*' |
		sort -u)
	for folder in $(grep -v '^#' contrib/folder-order); do
		printf '%s\n' "$listed" | grep -qx "$folder" ||
			echo "$page: $folder is missing"
	done
	for folder in $listed; do
		[ -d "$folder" ] ||
			echo "$page: there is no $folder"
	done
	# a folder may have a second role
	roles=$(sed -n 's/^\t\.name = "\([a-z]*\)",$/\1/p' worker/*/role.c)
	for role in $(sed -n 's/^| \([a-z]*\) | sluice-worker.*/\1/p' $page); do
		printf '%s\n' "$roles" | grep -qx "$role" ||
			echo "$page: there is no role $role"
	done
	for role in $roles; do
		grep -q "^| $role | sluice-worker" $page ||
			echo "$page: role $role is missing"
	done
	sed -n '/^## How messages flow/,/^A status comes/p' $page |
		grep -oE '[►◄] [a-z]+\.[a-z]+' |
		while read -r _ name; do
			grep -q "\"$name\"" proto/ipc/msg.h ||
				echo "$page: there is no message $name"
		done
} | report 12 "doc/architecture.md lists the folders and roles"

# the Node.js of Debian 12 is version 18
newer='\.(toSorted|toReversed|toSpliced)\(|import\.meta\.(dir|file)name'
newer="$newer"'|\b(groupBy|fromAsync|withResolvers)\(|AbortSignal\.any\('
newer="$newer"'|mock\.timers\b'
# shellcheck disable=SC2086  # as above
grep -nE "$newer" $scripts | grep '\.mjs:' |
	report 13 "scripts run with Node.js 18"

# text of the service and of streams never becomes markup or code
# shellcheck disable=SC2086
grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|DOMParser|document\.write|'\
'dangerouslySet|new Function|\beval\(|localStorage|sessionStorage' \
	$(find web -path web/node_modules -prune -o -name '*.js' -print) |
	grep -v '^web/common/prefs.js:.*localStorage' |
	report 14 "the page makes no markup from text and stores no secret"

# ev_timer_start() gives a timer that ran or was stopped the rest of its time
# shellcheck disable=SC2086
grep -nE 'ev_timer_(set|start)\(' $programs | grep -v '^common/loop/timer\.c:' |
	report 15 "timer_start() and timer_repeat() alone start timers"

if command -v mandoc >/dev/null; then
	mandoc -Tlint -W warning doc/*.[1-8]
fi | report 16 "man pages have no fault that mandoc finds"
}
