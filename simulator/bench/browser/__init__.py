"""How the pages perform in a browser: weight, first use, stability, frames and scrubbing. Needs Chromium and the test dependencies."""
