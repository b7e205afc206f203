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
scripts=$(find tests contrib -name '*.mjs' -o -name '*.sh' | sort)
for file in contrib/* .ci/*; do
	[ -f "$file" ] && head -n 1 "$file" | grep -q '^#!' &&
		case $scripts in
		*"$file"*) ;;
		*) scripts="$scripts $file" ;;
		esac
done
makes=$(find . -name '*.mk' -not -path './build*' | sort)

echo "1..8"

# shellcheck disable=SC2086  # lists of our own file names, without spaces
{
awk '
	{ gsub(/[\200-\277]/, "") # the further bytes of a character
	  col = 0
	  for (i = 1; i <= length($0); i++)
		col = substr($0, i, 1) == "\t" ? col + 8 - col % 8 : col + 1
	  if (col > 80)
		print FILENAME ":" FNR ": " col " columns" }
' $c_files $scripts | report 1 "lines have at most 80 columns"

for file in $c_files $scripts; do
	lines=$(wc -l < "$file")
	[ "$lines" -le 600 ] || echo "$file: $lines lines"
done | report 2 "files have at most 600 lines"

awk '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR }
	/^\}/ { if (start && FNR - start - 1 > 80)
			print FILENAME ":" start ": " FNR - start - 1 " lines"
		start = 0 }
' $c_files | report 3 "functions have at most 80 lines"

for file in $c_files $scripts $makes configure.ac Makefile.am; do
	head -n 3 "$file" |
		grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' ||
		echo "$file"
done | report 4 "every file names its licence"

for file in $c_files; do
	case $file in *.h) continue ;; esac
	count=$(grep -cE '^[[:space:]]*#[[:space:]]*if' "$file")
	[ "$count" -le 1 ] || echo "$file: $count"
done | report 5 "a source has at most one #if"

grep -nwE 'TO[D]O|FIX[M]E|X[X]X' $c_files $scripts $makes |
	report 6 "nothing is left for later"

for file in $c_files; do
	case $file in
	common/*) allowed='common/' ;;
	proto/*) allowed='common/|proto/' ;;
	master/*) allowed='common/|proto/|master/' ;;
	worker/*) allowed='common/|proto/|worker/' ;;
	ctl/*) allowed='common/|proto/|ctl/' ;;
	*) continue ;;
	esac
	grep -nE '^#include "' "$file" |
		grep -vE "^[0-9]+:#include \"($allowed|config\.h\")" |
		sed "s|^|$file:|"
done | report 7 "includes point down only"

# automake strips the extension: two of a name would share one log
find $folders \( -path '*/data/*' -o -path '*/corpus/*' \) -prune -o \
	-path 'tests/*' -type f \
	\( -name '*.c' -o -name '*.mjs' -o -name '*.sh' \) -print |
	sed 's/\.[^.]*$//' | sort | uniq -d |
	report 8 "tests of a folder have names of their own"
}
