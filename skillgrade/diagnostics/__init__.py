"""Why it failed: failed assertions sorted by their causes, tied to SKILL.md, with what to change."""
