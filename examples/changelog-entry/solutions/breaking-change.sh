cat >CHANGELOG.md <<'END'
# Changelog

## [Unreleased]

### Changed

- **Breaking:** Read the settings from settings.toml only.

### Fixed

- Close the log file on exit.

## [1.4.2] - 2026-03-02

### Fixed

- A trailing comma in the settings no longer stops the start.
END
