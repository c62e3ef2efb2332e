# One entry for every task, thin over tools/ and the CMake presets.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
MINUTES ?= 5
SEEDS ?= 10000
PREFIX ?= /usr/local
SECONDS_EACH ?= 60
RECORDS ?= 500000
OLD_BROKERS ?= 2.8.2 2.1.1

# $(call compile,PRESET,TARGETS): configures on first use; later ninja re-configures by itself.
define compile
	@test -f build/$(1)/build.ninja || cmake --preset $(1) >/dev/null
	ninja -C build/$(1) -j$(JOBS) $(2)
endef

.PHONY: help demo test build development check bench bench-flink bless corpus asan tsan nopch fuzz chaos cluster old-brokers sim dist dist-test setup clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

demo: ## build the program, start a broker, and show a job that survives kill -9
	@tools/setup build
	@tools/demo

build: ## build the program: build/release/bin/yeoul
	tools/setup build
	$(call compile,release,yeoul)

development: ## build and install what C++ programs need: headers, libraries, CMake package (PREFIX=/usr/local)
	tools/setup build
	$(call compile,release,development)
	cmake --install build/release --prefix $(PREFIX) --component development >/dev/null
	@echo "installed in $(PREFIX): give CMake -DCMAKE_PREFIX_PATH=$(PREFIX), and find_package(yeoul) finds it"

test: ## build everything and run every test, with a real broker (tools/run_tests --help: some of them)
	tools/setup test
	$(call compile,release,all)
	tools/run_tests --build build/release

check: ## layering, file sizes, banned calls, formatting
	tools/setup check
	tools/check_layout.py

bench: ## build and run the benchmarks (BENCH="--jobs a,b --quick": what of them; bench/run.py --help)
	tools/setup test
	cmake --preset release -DYEOUL_BENCH=ON >/dev/null
	$(call compile,release,all)
	bench/run.py $(BENCH)

bench-flink: ## the same benchmarks with Apache Flink beside them
	tools/setup test
	bench/setup_flink
	cmake --preset release -DYEOUL_BENCH=ON >/dev/null
	$(call compile,release,all)
	bench/run.py --flink --modes "all cores" $(BENCH)

bless: ## rewrite the expectations of the SQL tests; review the diff
	tools/setup build
	$(call compile,release,all)
	tests/sql/run.py --bless

corpus: ## compare with the recorded answers of Apache Flink, group by group
	tools/setup build
	$(call compile,release,all)
	tests/corpus/run.py

asan: ## unit and SQL tests under AddressSanitizer and UndefinedBehaviorSanitizer
	tools/setup build
	$(call compile,asan,all)
	tools/run_tests --build build/asan unit sql

tsan: ## unit and SQL tests under ThreadSanitizer
	tools/setup build
	$(call compile,tsan,all)
	tools/run_tests --build build/tsan unit sql

nopch: ## build without precompiled header and unity, and check that each header stands alone
	tools/setup build
	$(call compile,nopch,all all_verify_interface_header_sets)

fuzz: ## run each fuzzer for a while (SECONDS_EACH=60)
	tools/setup fuzz
	$(call compile,fuzz,all)
	tests/fuzz/fuzz.py --build build/fuzz --seconds $(SECONDS_EACH)

chaos: ## kill jobs and brokers again and again and compare the results (MINUTES=5)
	tools/setup test
	$(call compile,release,yeoul)
	tests/chaos/chaos.py --minutes $(MINUTES)

cluster: ## kill, freeze, restart and hide the brokers of a cluster of three while records flow (RECORDS=500000 TRANSACTIONAL_RECORDS=50000)
	tools/setup test
	$(call compile,release,yeoul kafka_probe produce_probe admin_probe)
	tests/cluster/cluster_test.py
	RECORDS=$(RECORDS) tests/cluster/flow_test.py

old-brokers: ## broker tests with brokers of other versions (OLD_BROKERS="2.8.2 2.1.1")
	tools/setup test $(OLD_BROKERS:%=kafka-%)
	$(call compile,release,yeoul kafka_probe produce_probe admin_probe rdkafka_probe)
	@for version in $(OLD_BROKERS); do \
	  echo "--- Apache Kafka $$version"; \
	  YEOUL_KAFKA_VERSION=$$version tests/broker/run.py old_brokers native_client native_producer admin peers stream \
	    bounded metadata upsert || exit 1; \
	done

sim: ## simulate failing jobs and Kafka clients by seed (SEEDS=10000, or OF=client|streams SEED=N to replay one)
	tools/setup build
	$(call compile,release,simulator)
	tests/sim/run.py --only-seeds $(if $(OF),--of $(OF)) $(if $(SEED),--seed $(SEED),--seeds $(SEEDS))

dist: ## pack a tarball that runs where nothing is installed, and Debian packages: build/dist/packages
	tools/setup dist
	$(call compile,dist,all)
	cd build/dist && cpack >cpack.log || { tail -n 20 cpack.log; exit 1; }
	@du -h build/dist/packages/*.tar.gz build/dist/packages/*.deb

dist-test: dist ## install and run what make dist packed in a bare Debian 12
	tools/setup kafka
	tests/dist/dist.py

setup: ## install packages and fetch the broker's jars
	tools/setup all

clean: ## remove what was built (not the broker's jars)
	rm -rf build
