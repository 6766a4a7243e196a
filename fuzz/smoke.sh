#!/usr/bin/env bash
# Fuzzes each target for a while, from seeds made of the cases: ./smoke.sh [SECONDS]. Needs cargo-fuzz and a C++ compiler.
# Any compiler will do: without `unsafe` there is little for a sanitizer to find, and without one nothing needs nightly.
# The same targets run in `cargo test -p toolgate --test it fuzz_smoke::` without either.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

seconds=${1:-20}
if ! cargo fuzz --version >/dev/null 2>&1; then
  echo "skipped: fuzzing needs cargo-fuzz (cargo install cargo-fuzz --locked)"
  [ "${TOOLGATE_NO_SKIP:-}" = 1 ] && exit 1
  exit 0
fi
cargo run --quiet --bin seeds
for target in read compile check shown; do
  echo "$target: $seconds s"
  cargo fuzz run --dev --sanitizer none "$target" -- \
    -max_total_time="$seconds" -max_len=4096 -timeout=20 -print_final_stats=0 -verbosity=0
done
echo "every target ran for $seconds s without a fault"
