// Runs before the first paint, so that a chosen theme never flashes. Everything else about themes is in theme.js.
(function () {
  try {
    const theme = localStorage.getItem("podscope.theme");
    // An embedded page has the theme that its host asked for.
    const isFree = document.documentElement.dataset.theme === "auto" && window.parent === window;
    if (isFree && (theme === "light" || theme === "dark")) document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be refused; the system's preference stands.
  }
})();
