#!/usr/bin/env bash
# The page: its types, that the committed bundle is what the sources make, and every feature in a real browser. Installs
# chromium (Debian) if it is missing. Called by CI; needs node, npm, cargo and apt-get.
set -euo pipefail
cd "$(dirname "$0")"

CHROMIUM=${CHROMIUM:-$(command -v chromium || true)}
if [ -z "$CHROMIUM" ]; then
    echo "chromium is not installed: installing it"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null || {
        echo "CHROMIUM COULD NOT BE INSTALLED, and without it the page is not tested: giving up"
        exit 1
    }
    CHROMIUM=$(command -v chromium)
fi
export CHROMIUM

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
if grep -q '"resolved"' package-lock.json; then
    echo "package-lock.json names where packages come from: write it with the .npmrc of this folder"
    exit 1
fi
npx --no-install tsc --noEmit
node build.mjs --check

PAGES=$(mktemp -d)
export PAGES
trap 'rm -rf "$PAGES"' EXIT
cargo run --quiet --locked -p raddle-report --features forms --example pages -- "$PAGES"
node --test --test-reporter=spec test/
