#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# packaging/appimage/build.sh [OUT_DIR]: makes OUT_DIR/Tidemark.AppDir (default: build/appimage), a folder that
# runs on other distributions with nothing installed, and packs it where appimagetool is found. Run it on the
# oldest system to be supported: its C library is the oldest that will do.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
out=${1:-$root/build/appimage}
app_id=org.tidemark.Tidemark
appdir=$out/Tidemark.AppDir

"$root/packaging/setup.sh" install build runtime interpreter appimage
"$root/packaging/setup.sh" build release

rm -rf "$appdir"
mkdir -p "$appdir/usr/lib"
cmake --install "$root/build/release" --prefix "$appdir/usr" --strip >/dev/null
libraries=$appdir/usr/lib

# Qt finds its plugins through qt.conf: screens, the picture formats the icons use, printing, input methods.
plugin_source=$(qmake6 -query QT_INSTALL_PLUGINS)
for plugins in platforms wayland-shell-integration wayland-decoration-client wayland-graphics-integration-client \
    xcbglintegrations iconengines imageformats platforminputcontexts printsupport; do
    [ ! -d "$plugin_source/$plugins" ] || install -D -t "$appdir/usr/plugins/$plugins" "$plugin_source/$plugins"/*.so
done
for catalogue in "$root"/resources/languages/*.json; do
    words=$(qmake6 -query QT_INSTALL_TRANSLATIONS)/qtbase_$(basename "$catalogue" .json).qm
    [ ! -f "$words" ] || install -D -m 644 -t "$appdir/usr/translations" "$words"
done
printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$appdir/usr/bin/qt.conf"

# The embedded interpreter's standard library, without what needs a display, a compiler or a test run.
stdlib=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
mkdir -p "$libraries/$(basename "$stdlib")"
tar -C "$stdlib" --exclude=__pycache__ --exclude='./test' --exclude='./idlelib' --exclude='./tkinter' \
    --exclude='./config-*' --exclude='./dist-packages' --exclude='./sitecustomize.py' --exclude='./ensurepip' \
    --exclude='./lib2to3' --exclude='./distutils' -cf - . | tar -C "$libraries/$(basename "$stdlib")" -xf -

# These belong to the system it runs on: the C library, the drivers', the display server's and the fonts' own.
# All but the C library are carried in a folder of their own, for machines that have no desktop at all.
never='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|BrokenLocale|nss_.*))\.so'
of_the_desktop='^lib(GL|EGL|GLX|GLdispatch|OpenGL|GLU|gbm|drm.*|X11|X11-xcb|xcb|xcb-dri.*|wayland-client|fontconfig|freetype|expat|z|uuid|harfbuzz|fribidi|gpg-error|com_err|p11-kit|stdc\+\+|gcc_s)\.so'
fallback=$libraries/fallback
mkdir -p "$fallback"
copy_libraries() {
    local file path name target
    for file in "$@"; do
        ldd "$file" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
    done | sort -u | while read -r path; do
        name=$(basename "$path")
        target=$libraries
        [[ ! $name =~ $of_the_desktop ]] || target=$fallback
        if [[ ! $name =~ $never ]]; then install -m 644 -t "$target" "$path"; fi
    done
}
mapfile -t programs < <(find "$appdir/usr/bin" "$appdir/usr/plugins" "$libraries/python3"* -type f \
    \( -name '*.so' -o -path '*/bin/tidemark*' \))
copy_libraries "${programs[@]}"

# One font family and a configuration that finds it, for machines without any.
install -D -m 644 -t "$appdir/usr/share/fonts" /usr/share/fonts/truetype/dejavu/DejaVuSans{,-Bold,Mono}.ttf
cat >"$appdir/usr/share/fonts/fonts.conf" <<'FONTS'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
FONTS

# shellcheck disable=SC2016  # $ORIGIN is for the dynamic linker
find_libraries_at() { patchelf --set-rpath '$ORIGIN'"$1" "${@:2}"; }
find_libraries_at "" "$libraries"/*.so*
find_libraries_at /.. "$fallback"/*.so*
find_libraries_at /../lib "$appdir/usr/bin"/tidemark*
mapfile -t plugins < <(find "$appdir/usr/plugins" -name '*.so')
find_libraries_at /../../lib "${plugins[@]}"
mapfile -t modules < <(find "$libraries" -path '*/lib-dynload/*.so')
find_libraries_at /../.. "${modules[@]}"

install -m 755 "$root/packaging/appimage/AppRun" "$appdir/AppRun"
cp "$appdir/usr/share/applications/$app_id.desktop" "$appdir/usr/share/icons/hicolor/scalable/apps/$app_id.svg" "$appdir/"
ln -sf "$app_id.svg" "$appdir/.DirIcon"

"$appdir/AppRun" --version
echo "The folder is $appdir ($(du -sh "$appdir" | cut -f1))"
if command -v appimagetool >/dev/null; then
    (cd "$out" && ARCH=$(uname -m) appimagetool Tidemark.AppDir)
else
    echo "appimagetool is not installed, so it was not packed into one file."
fi
