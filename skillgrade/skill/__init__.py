"""SKILL.md: discovery and frontmatter."""
