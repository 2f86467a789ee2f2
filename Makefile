# The two commands of a newcomer: `make run` and `make test`. `make help` lists the others.
PYTHON ?= $(shell .ci/python)
VENV   := .venv
BIN    := $(VENV)/bin
ARGS   ?=

# What makes a new native build necessary; Python files, shaders and presets are used from the tree.
SOURCES := pyproject.toml CMakeLists.txt $(shell find native assets/kernels -type f 2>/dev/null)
CUDA    := $(if $(wildcard /proc/driver/nvidia/version /dev/nvidiactl),cuda)
CTEST   := build/ctest

.PHONY: help run test test-python test-native test-gpu bench bench-gpu kernels lint format wheel clean

run: $(VENV)/.run  ## install what is missing, build, and start the application (ARGS="--help" for options)
	@$(BIN)/whitecap $(ARGS)

test: test-python test-native $(if $(CUDA),test-gpu)  ## every test that this machine can run

test-python: $(VENV)/.test
	$(BIN)/python -m pytest $(if $(CUDA),-m 'not gpu') $(ARGS)

test-native: $(VENV)/.test
	@$(BIN)/cmake -S . -B $(CTEST) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=Release \
		-DWHITECAP_TESTS=ON -DWHITECAP_PYTHON=OFF -DWHITECAP_PYTHON_EXECUTABLE=$(abspath $(BIN)/python) >/dev/null
	$(BIN)/cmake --build $(CTEST)
	$(BIN)/ctest --test-dir $(CTEST) --output-on-failure

test-gpu: $(VENV)/.test  ## the tests that need an NVIDIA GPU
	$(BIN)/python -m pytest -m gpu $(ARGS)

bench: $(VENV)/.test  ## CPU figures: medians, and ratios against peers measured in the same run
	$(BIN)/python benchmarks/bench_cpu.py $(ARGS)

bench-gpu: $(VENV)/.test  ## GPU figures, beside Warp where it is installed
	$(BIN)/python benchmarks/bench_warp.py $(ARGS)

kernels: $(VENV)/.run  ## regenerate assets/kernels from the built-in scenes
	$(BIN)/python -m whitecap.capture.builtins --out assets/kernels whitecap.app.scenes.wave whitecap.app.scenes.tank

lint: $(VENV)/.lint  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@mkdir -p build/types/whitecap && cd build/types/whitecap && for d in app capture shaders assets native/python/_native.pyi; do \
		ln -sfn ../../../$$d $$(basename $$d); done
	MYPYPATH=build/types $(BIN)/mypy -p whitecap

format: $(VENV)/.lint
	$(BIN)/ruff format .
	find native tests/native tests/unit/cuda -name '*.[ch]pp' -o -name '*.h' | xargs clang-format -i

wheel: $(BIN)/python  ## a wheel in dist/
	$(BIN)/python -m pip wheel --no-deps -w dist .

clean:  ## remove what was built, the virtual environment included
	rm -rf $(VENV) build dist

help:
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

# Before $(PYTHON) is looked for: this may install it.
$(VENV)/.system:
	@.ci/system-packages
	@mkdir -p $(VENV) && touch $@

$(BIN)/python: | $(VENV)/.system
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 10) or sys.exit("Whitecap needs Python 3.10 or newer; $(PYTHON) is %d.%d. Try: make run PYTHON=python3.12" % v[:2])'
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.run: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet -e '.$(if $(CUDA),[$(CUDA)])'
	@touch $@

$(VENV)/.test: $(BIN)/python $(SOURCES)
	@.ci/system-packages --tests
	$(BIN)/python -m pip install --quiet -e '.[test]'
	@touch $@ $(VENV)/.run

$(VENV)/.lint: $(VENV)/.test
	$(BIN)/python -m pip install --quiet -e '.[lint]'
	@touch $@
