#!/bin/sh
# Gradescope runs this once, when it builds the container: a Python of 3.11 or later, and the libraries.
#
# A line with --extra-index-url and the index of torch's CPU builds at the top of requirements.txt saves some
# gigabytes of the CUDA libraries that come with torch otherwise.
set -eu

root=${ATTNCHECK_AUTOGRADER_ROOT:-/autograder}

newest() {
  for name in python3.14 python3.13 python3.12 python3.11 python3; do
    if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
}

if command -v apt-get >/dev/null 2>&1; then
  apt-get update
  apt-get install -y --no-install-recommends libseccomp2
  if [ -z "$(newest)" ]; then
    apt-get install -y --no-install-recommends python3.12 python3.12-venv ||
      apt-get install -y --no-install-recommends python3.11 python3.11-venv
  fi
fi

python=$(newest)
if [ -z "$python" ]; then
  echo 'attncheck needs Python 3.11 or later with venv: choose a newer base image for this assignment.' >&2
  exit 1
fi
"$python" -m venv "$root/attncheck-env"
"$root/attncheck-env/bin/python" -m pip install --disable-pip-version-check -r "$root/source/requirements.txt"

# What the references return is worked out now, not for every submission. Without it everything works, only slower.
OMP_NUM_THREADS=1 ATTNCHECK_CACHE="$root/attncheck-cache" PYTHONPATH=$root/source/attncheck \
  "$root/attncheck-env/bin/python" -P -m grader.instructor.export._autograding "$root" --prepare ||
  echo 'attncheck: the references could not be run yet; every submission runs them.'
