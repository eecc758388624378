"""Files as bytes and text: encodings, line breaks, safe writes, and what the model knows of them."""
