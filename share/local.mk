# Groups of events.  A new one is share/events/NAME.ev and its word here.
EVENT_GROUPS = software ipc cache branch memory

groupsdir = $(datadir)/copse/events
dist_groups_DATA = $(EVENT_GROUPS:%=share/events/%.ev)

# Copies for a command that is not installed yet, which looks beside itself.
noinst_DATA = events/here
events/here: $(dist_groups_DATA)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)for name in $(EVENT_GROUPS); do \
		cp -f $(srcdir)/share/events/$$name.ev $(@D) || exit; done
	@touch $@
CLEANFILES += events/here $(EVENT_GROUPS:%=events/%.ev)
