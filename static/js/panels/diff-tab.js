// @ts-check
/** The Diff tab: which moment is compared with the one shown, and whether bookkeeping is shown. */

/**
 * @param {HTMLElement} drawer
 * @param {any} panel  the drawer's Panel
 * @param {() => void} onChange
 */
export function wireDiffTab(drawer, panel, onChange) {
  const query = new URLSearchParams(location.search);
  // Only while the page opens on this tab: another tab's address may carry a pin as well.
  const pin_s = query.get("pin");
  if (pin_s !== null && panel.tab === "diff") panel.extra = { pin: String(Math.round(Number(pin_s) * 1000)) };
  if (query.get("noise") === "1" && panel.tab === "diff") panel.extra.noise = "1";
  drawer.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("[data-diff-pin], [data-diff-noise]") : null;
    if (!(link instanceof HTMLElement) || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const { pin, noise } = panel.extra;
    const { diffPin, diffNoise } = link.dataset;
    const here = String(Math.round(panel.source.moment().t_ms));
    const next = { pin: (diffPin === "here" ? here : diffPin) ?? pin ?? "", noise: diffNoise ?? noise ?? "" };
    panel.extra = Object.fromEntries(Object.entries(next).filter(([, value]) => value && value !== "0"));
    panel.load();
    onChange();
  });
}
