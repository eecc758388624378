"""What is taken where the user named nothing."""

from __future__ import annotations

# The newest Sonnet that the vendor's SDK lists by a name without a date and does not call deprecated. It
# stands here because the SDK takes seconds to import, and is not imported at all for other servers.
ANTHROPIC_MODEL = "claude-sonnet-5-5"
# Sent where no key is needed: some servers that never look at one insist on it.
PLACEHOLDER_KEY = "no-key-needed"
