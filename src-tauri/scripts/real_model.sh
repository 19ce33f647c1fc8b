#!/usr/bin/env bash
# Tries the clients of language models against a real server with a tiny model made here. Not part of `make test`.
#   real_model.sh                    llama.cpp's own server, which installs in seconds
#   real_model.sh llama-cpp-python   the server of that package, which is compiled for a quarter of an hour the first time
# Everything lies in the target directory.
set -euo pipefail
cd "$(dirname "$0")/../.."

kind=${1:-llama.cpp}
home=$(realpath -m "${CARGO_TARGET_DIR:-target}")/real-model/$kind
python=$home/venv/bin/python
mkdir -p "$home"

install=("$python" -m pip install --disable-pip-version-check -r src-tauri/scripts/real-model-requirements.txt)
case $kind in
  llama.cpp) ;;
  llama-cpp-python)
    install+=("llama-cpp-python[server]==0.3.36")
    # One compiler at a time, and without the tuning for this very processor: it need not be fast.
    export CMAKE_BUILD_PARALLEL_LEVEL=1 MAKEFLAGS=-j1
    export CMAKE_ARGS="-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1"
    ;;
  *) echo "unknown server: $kind" >&2; exit 2 ;;
esac
if ! cmp -s src-tauri/scripts/real-model-requirements.txt "$home/installed"; then
  echo "Installing the server; what that says is in $home/install.log." >&2
  python3 -m venv "$home/venv"
  nice "${install[@]}" >"$home/install.log" 2>&1
  cp src-tauri/scripts/real-model-requirements.txt "$home/installed"
fi
"$python" src-tauri/scripts/tiny_gguf.py "$home/tiny.gguf"

port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export KEEPSAKE_REAL_SERVER=http://127.0.0.1:$port KEEPSAKE_REAL_KEY=a-key-for-this-run KEEPSAKE_REAL_KIND=$kind
if [[ $kind == llama.cpp ]]; then
  serve=("$python" -c '
import os, signal, sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.model_alias = sys.argv[1], {"tiny"}
params.port, params.api_keys = int(sys.argv[2]), [os.environ["KEEPSAKE_REAL_KEY"]]
params.n_ctx, params.n_parallel, params.warmup = 2048, 1, False
server = xllamacpp.Server(params)
signal.pause()')
else
  serve=("$python" -c '
import os, runpy, sys
sys.argv = ["llama_cpp.server", "--model", sys.argv[1], "--port", sys.argv[2], "--model_alias", "tiny", "--host", "127.0.0.1",
            "--n_ctx", "2048", "--n_threads", "1", "--api_key", os.environ["KEEPSAKE_REAL_KEY"]]
runpy.run_module("llama_cpp.server", run_name="__main__")')
fi
"${serve[@]}" "$home/tiny.gguf" "$port" >"$home/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT

# Until it takes connections, or has ended, or a minute passed.
"$python" - "$port" "$server" <<'PYTHON' || { echo "The server did not start; see $home/server.log." >&2; exit 1; }
import os, socket, sys, time
port, server = int(sys.argv[1]), int(sys.argv[2])
for _ in range(600):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        sys.exit(0)
    except OSError:
        os.kill(server, 0)
        time.sleep(0.1)
sys.exit(1)
PYTHON

# One after another: the server has one place.
cargo test --locked -p keepsake-models --test real_server -- --test-threads=1
