"""What the files were before the agent changed them, kept so that every change can be taken back."""
