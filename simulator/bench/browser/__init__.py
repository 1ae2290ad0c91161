"""How the pages feel in a browser: weight, first use, steadiness, frames and scrubbing. Needs Chromium and what the tests need."""
