# SPDX-License-Identifier: GPL-2.0-or-later
# How a testcase is built. Included by the Makefile as it is: automake would not understand it.
#
# Its object is compiled once and linked twice. layout.o stands just before it, so that its code and globals have the
# same offsets in both programs; the archives differ only in how tasks are made.

TESTCASE_COMPILE = $(COMPILE) -ffile-prefix-map=$(srcdir)/= -MMD -MP -c
TESTCASE_LINK = $(CC) $(CFLAGS) $(AM_CFLAGS) $(LDFLAGS) $(OPSCALE_LDFLAGS)

# $(1): source, $(2): object, $(3): folder of the programs, $(4): name
define testcase_rules
$(2): $(1) Makefile $(top_srcdir)/testcases.mk
	$$(AM_V_CC)$$(MKDIR_P) $$(@D) && $$(TESTCASE_COMPILE) -o $$@ $$<
$(foreach mode,$(MODES),
$(3)/$(4)_$(mode): $(2) runtime/layout.o runtime/lib$(mode).a
	$$(AM_V_CCLD)$$(MKDIR_P) $$(@D) && $$(TESTCASE_LINK) -o $$@ runtime/layout.o $(2) runtime/lib$(mode).a \
		$$(HWLOC_LIBS) $$(LIBS)
$(4)_$(mode): $(3)/$(4)_$(mode)
.PHONY: $(4)_$(mode)
)
-include $(2:.o=.d)
endef

object_of = $(patsubst $(srcdir)/%.c,%.o,$(1))
$(foreach source,$(testcase_files),$(eval $(call \
	testcase_rules,$(source),$(call object_of,$(source)),programs,$(notdir $(basename $(source))))))
$(foreach source,$(fixture_files),$(eval $(call \
	testcase_rules,$(source),$(call object_of,$(source)),check/programs,$(notdir $(basename $(source))))))

repeated_names = $(filter-out $(sort $(1)),$(1))$(foreach name,$(sort $(1)),$(if \
	$(word 2,$(filter $(name),$(1))),$(name)))
repeated := $(strip $(call repeated_names,$(notdir $(testcase_files) $(fixture_files))))
ifneq ($(repeated),)
$(error two testcases have the same file name: $(repeated))
endif
