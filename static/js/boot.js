// Runs before the first paint, so that a chosen theme never flashes, chosen sizes never jump, and the records of a run are on their way
// while the rest of its page is parsed. The rest is in base/theme.js, run/splitters.js and wire/early-socket.js.
(function () {
  const root = document.documentElement;
  const path = root.dataset.socket;
  if (path) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${path}?since=0`);
    /** @type {[string, number][]} messages with the times at which they arrived */
    const heard = [];
    socket.onmessage = ({ data }) => heard.push([data, performance.now()]);
    Object.assign(window, { podscopeSocket: { path, socket, heard } });
  }
  try {
    const theme = localStorage.getItem("podscope.theme");
    // An embedded page has the theme that its host asked for, and the default sizes.
    if (root.dataset.theme !== "auto" || window.parent !== window) return;
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    const sized = ["labels", "inspector", "drawer"].filter((name) => /^\d+px$/.test(localStorage.getItem(`podscope.size.${name}`) || ""));
    for (const name of sized) root.style.setProperty(`--set-${name}`, localStorage.getItem(`podscope.size.${name}`));
    root.dataset.sized = sized.join(" ");
    const brought = new URLSearchParams(location.search).get("class");
    if (brought && /^[a-z0-9]{6}$/.test(brought)) sessionStorage.setItem("podscope.class", JSON.stringify({ code: brought, follows: true, path: location.pathname }));
    const { code } = JSON.parse(sessionStorage.getItem("podscope.class") || "{}");
    if (code) root.dataset.class = code;
    if (sessionStorage.getItem("podscope.picks")) root.dataset.picks = "";
  } catch {
    // Storage may be blocked; the system's preference and the default sizes then apply.
  }
})();
