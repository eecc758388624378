"""A session as a document for people: Markdown or HTML."""
