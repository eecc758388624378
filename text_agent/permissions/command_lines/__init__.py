"""What a command line would do, as far as its text can tell: nothing here runs one."""
