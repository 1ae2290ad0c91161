// Runs before the first paint, so that a chosen theme never flashes. Everything else about themes is in theme.js.
(function () {
  try {
    const theme = localStorage.getItem("podscope.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be refused; the system's preference stands.
  }
})();
