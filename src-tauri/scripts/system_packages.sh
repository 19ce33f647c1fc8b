#!/usr/bin/env bash
# Sees that the system packages are there which building (`build`), showing a window (`window`) or testing one (`test`)
# needs on Debian and Ubuntu. As root or through sudo it installs what is missing; otherwise it prints the command.
set -euo pipefail

build=(build-essential pkg-config libssl-dev python3-venv)
window=(libwebkit2gtk-4.1-dev libxdo-dev libayatana-appindicator3-dev librsvg2-dev)
# dovecot-imapd: the mail connector is tested against it. It is never started as a service of the system.
test=(webkit2gtk-driver xvfb dbus-x11 dovecot-imapd)

wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    window) wanted+=("${window[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    *) echo "unknown group of packages: $group" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  if [[ " $* " == *" window "* ]] && ! pkg-config --exists webkit2gtk-4.1; then
    echo "This is neither Debian nor Ubuntu. Install what these Debian packages hold, then run the command again:" >&2
    echo "  ${wanted[*]}" >&2
    exit 1
  fi
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

install="apt-get install -y --no-install-recommends ${missing[*]}"
if ((EUID == 0)); then
  as_root=(env)
elif command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
  as_root=(sudo)
else
  echo "Some system packages are missing. Install them, then run the command again:" >&2
  echo "  sudo apt-get update && sudo $install" >&2
  exit 1
fi
echo "Installing system packages: ${missing[*]}"
"${as_root[@]}" apt-get update -q
# Unquoted on purpose: a command and its words.
# shellcheck disable=SC2086
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive $install
