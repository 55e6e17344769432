cat >CHANGELOG.md <<'END'
# Changelog

## [Unreleased]

### Added

- Export reports as CSV.
- Dark theme.

### Fixed

- Keep the cursor in place when a file is reloaded.

## [1.4.2] - 2026-03-02

### Fixed

- A trailing comma in the settings no longer stops the start.
END
