"""The tokens and tags that mean something in a reply: one table for all who read, write or refuse them."""

from __future__ import annotations

import re

END_TOKENS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>"),
    *("<|return|>", "<|END_RESPONSE|>", "<|END_OF_TURN_TOKEN|>", "</s>", "<eos>", "<end_of_turn>"),
    *("<turn|>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
)
END_TOKEN = f"(?:{'|'.join(map(re.escape, END_TOKENS))})"
"""What a server may leave of a chat template at the end of a reply: for us the end of a line."""
