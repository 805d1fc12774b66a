"""The author's tools: check a bank, mutate its references, and write templates, previews and editions."""
