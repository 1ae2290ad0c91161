// The globals that modules read on import: those of an empty page.
globalThis.document = { getElementById: () => null, querySelector: () => null, addEventListener: () => {}, dispatchEvent: () => true };
