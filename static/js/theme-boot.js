// Runs before the first paint, so that a chosen theme never flashes and chosen sizes never jump. The rest is in theme.js and splitters.js.
(function () {
  try {
    const theme = localStorage.getItem("podscope.theme");
    const root = document.documentElement;
    // An embedded page has the theme that its host asked for, and the usual sizes.
    if (root.dataset.theme !== "auto" || window.parent !== window) return;
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    const sized = ["labels", "inspector", "drawer"].filter((name) => /^\d+px$/.test(localStorage.getItem(`podscope.size.${name}`) || ""));
    for (const name of sized) root.style.setProperty(`--set-${name}`, localStorage.getItem(`podscope.size.${name}`));
    root.dataset.sized = sized.join(" ");
  } catch {
    // Storage may be refused; the system's preference and the usual sizes stand.
  }
})();
