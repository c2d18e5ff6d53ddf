#!/bin/sh
# install.sh [remove]: repld for a distribution without packages of it, as root. Copies ./tree to / (programs, manual pages
# and completions below /usr/local; units, sysusers and tmpfiles below /usr/lib), keeps a config file that is there, and
# starts nothing. `remove` takes the same files away again; config, data and user stay.
# DESTDIR=/folder: below another root, for makers of packages.
set -eu
cd "$(dirname "$0")"
root=${DESTDIR:-}
config=etc/repld/repld.toml
if [ -z "$root" ] && [ "$(id -u)" -ne 0 ]; then
    echo 'install.sh: run it as root' >&2
    exit 1
fi
has_systemd() { [ -z "$root" ] && [ -d /run/systemd/system ]; }

case ${1:-install} in
install)
    for program in tree/usr/local/bin/*; do
        if ! said=$("$program" --help 2>&1); then
            echo "install.sh: $(basename "$program") does not run here: $said" >&2
            echo 'install.sh: it was built on Debian 12; install the library, or build from source: make install' >&2
            exit 1
        fi
    done
    (cd tree && find . -type d) | while read -r directory; do mkdir -p "$root/$directory"; done
    (cd tree && find . -type f) | while read -r file; do
        if [ "$file" = ./$config ] && [ -e "$root/$config" ]; then continue; fi
        # A program that runs is replaced, not written to.
        cp -p "tree/$file" "$root/$file.new"
        mv "$root/$file.new" "$root/$file"
    done
    if has_systemd; then
        systemd-sysusers repld.conf
        systemd-tmpfiles --create repld.conf
        systemctl daemon-reload
        echo 'next: systemctl enable --now repld.socket repld     (an upgrade: systemctl restart repld)'
    fi
    ;;
remove)
    if has_systemd; then systemctl --quiet disable --now repld.socket repld.service || true; fi
    (cd tree && find . -type f ! -path ./$config) | while read -r file; do rm -f "$root/$file"; done
    rmdir "$root/usr/local/share/repld" "$root/usr/local/share/doc/repld"
    if has_systemd; then systemctl daemon-reload; fi
    ;;
*)
    echo 'usage: install.sh [remove]' >&2
    exit 3
    ;;
esac
