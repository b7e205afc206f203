#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# build: the programs have the hardening of compiler and linker.  A static
# program contains functions of the C library, too, so what the compiler adds is
# judged by the objects of each library of this tree.
set -u
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)
cd "${builddir:-.}" || exit 99

programs='sluice sluicectl sluice-worker sluice-worker-net sluice-worker-tls'
archives='libcommon.a libproto.a libservice.a libmaster.a libworker.a
	libworkertls.a libctl.a'
if grep -q '^#define HAVE_PICTURE 1' config.h; then
	programs="$programs sluice-worker-picture"
	archives="$archives libworkerpicture.a"
fi

if grep -q '^#define SANITIZED 1' config.h; then
	echo '1..0 # SKIP the sanitizers replace the hardening of the compiler'
	exit 0
fi
for tool in readelf nm; do
	command -v $tool >/dev/null || {
		echo "1..0 # SKIP $tool is missing"
		exit 0
	}
done

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

# setting NAME: the value of a variable of the Makefile
setting() { sed -n "s/^$1 = //p" Makefile; }

# complain PATTERN COMPLAINT OPTIONS...: each program whose readelf output has
# no line of the pattern
complain() {
	pattern=$1 complaint=$2
	shift 2
	for program in $programs; do
		readelf -W "$@" "$program" | grep -qE "$pattern" ||
			echo "$program: $complaint"
	done
}

# calls PATTERN: each archive with no call of such a function
calls() {
	for archive in $archives; do
		nm -u "$archive" | grep -qE "$1" ||
			echo "$archive: no call of $1"
	done
}

echo '1..10'

{
	complain 'Type: +DYN' 'has a fixed address' -h
	complain 'FLAGS_1.*PIE' 'is not marked as PIE' -d
} | report 1 'programs have no fixed address'

{
	complain 'GNU_RELRO' 'no RELRO' -l
	complain '\(FLAGS\).*BIND_NOW' 'binds functions late' -d
} | report 2 'tables of addresses are read-only before main'

{
	complain 'GNU_STACK.* RW +0x' 'no stack without execution' -l
	for program in $programs; do
		readelf -lW "$program" | grep -qE ' (RWE|WE) +0x' &&
			echo "$program: a segment is writable and executable"
	done
} | report 3 'nothing is writable and executable'

for program in $programs; do
	readelf -dW "$program" | grep -E 'TEXTREL|R(UN)?PATH' |
		sed "s/^/$program:/"
done | report 4 'no text relocations, no search path for libraries'

calls ' __stack_chk_fail$' | report 5 'the compiler protects the stack'

case $(setting CFLAGS) in
*-O[1-9sz]*)
	{
		# the others: no call in there has a size to check
		archives="${archives% libworkerpicture.a}"
		calls ' __[a-z]+_chk$'
		case $(setting HARDEN_FLAGS) in
		*-D_FORTIFY_SOURCE=[23]*) ;;
		*) echo 'Makefile: no _FORTIFY_SOURCE' ;;
		esac
		for program in $programs; do
			readelf -sW "$program" | grep -q '__v\?snprintf_chk' ||
				echo "$program: no snprintf with bounds"
		done
	} | report 6 'calls of the C library check their bounds' ;;
*)
	echo 'ok 6 # SKIP _FORTIFY_SOURCE requires an optimization' ;;
esac

# recorded in an object of each library, if there is debug information
if readelf --debug-dump=info master/main.o | grep -q DW_AT_producer; then
	for object in master/main.o worker/main.o ctl/main.o; do
		readelf --debug-dump=info $object | grep DW_AT_producer |
			grep -q -- '-fstack-clash-protection' ||
			echo "$object: no -fstack-clash-protection"
	done | report 7 'large stack frames touch each page'
else
	echo 'ok 7 # SKIP no debug information'
fi

# The name in doc/dependencies.md of a shared library.
document_name() {
	case $1 in
	libcares.so.*) echo c-ares ;;
	libjansson.so.*) echo jansson ;;
	libwslay.so.*) echo wslay ;;
	libz.so.*) echo zlib ;;
	libm.so.* | libc.so.* | ld-linux*) echo glibc ;;
	libnl-route-3.so.*) echo libnl-route-3 ;;
	*) echo "${1%%.so*}" ;;
	esac
}

libraries="$srcdir/doc/dependencies.md"
for program in $programs; do
	letter=$(sed -nE "s/(^|.* )([A-Z])( is)? \`$program\`.*/\2/p" \
		"$libraries")
	readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		while read -r file; do
			name=$(document_name "$file")
			grep -E "^\|[^|]*\b$name\b" "$libraries" |
				cut -d'|' -f5 | grep -qE "\b($letter|all)\b" ||
				echo "$libraries: $program is linked with $file"
		done
done | report 8 'doc/dependencies.md names the libraries of each program'

# The linker marks a program only if the files of the C library have marks.
marks='IBT, SHSTK'
if [ "$(uname -m)" != x86_64 ]; then
	echo 'ok 9 # SKIP not an x86-64 processor'
	echo 'ok 10 # SKIP not an x86-64 processor'
	exit 0
fi
for archive in $archives; do
	readelf -nW "$archive" | awk -v marks="$marks" '
		/^File:/ { if (file != "") print file; file = $2 }
		index($0, marks) { file = "" }
		END { if (file != "") print file }'
done | sed 's/$/: no marks of IBT and SHSTK/' |
	report 9 'indirect calls and returns are marked in every object'

cc=$(setting CC)
all=yes
for file in Scrt1.o rcrt1.o crti.o crtbeginS.o crtendS.o crtn.o; do
	# shellcheck disable=SC2086  # CC may have options
	readelf -nW "$($cc -print-file-name=$file)" | grep -q "$marks" || all=no
done
if [ $all = yes ]; then
	complain "$marks" 'no marks of IBT and SHSTK' -n |
		report 10 'indirect calls and returns are marked in programs'
else
	echo 'ok 10 # SKIP the start files of this C library have no marks'
fi
