# The one list.  A new command is tools/cmd-NAME.c and its NAME here.
COMMANDS =
