// What modules look at when they are loaded: a page that carries nothing.
globalThis.document = { getElementById: () => null, querySelector: () => null, addEventListener: () => {}, dispatchEvent: () => true };
