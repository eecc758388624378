"""The programs that this one starts for itself: git, rg, bwrap, pip, a clipboard, an editor."""
