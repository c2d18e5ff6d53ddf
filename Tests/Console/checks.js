// What a page must give to who does not see it well or at all: names for controls, a sound outline, contrast.
// An expression: an array of sentences, empty where all is well. console_test.py evaluates it on every page.
(() => {
  const problems = [];
  const shown = (element) => element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true })
    && element.getClientRects().length > 0 && !element.closest(".hidden, .skip");
  const describe = (element) => `<${element.localName}${element.className ? ` class="${element.getAttribute("class")}"` : ""}> ${(element.textContent ?? "").trim().slice(0, 30)}`;

  // MARK: Names

  const text = (id) => document.getElementById(id)?.textContent?.trim() ?? "";
  const name = (element) => element.getAttribute("aria-label")?.trim()
    || (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean).map(text).join(" ")
    || [...(element.labels ?? [])].map((label) => label.textContent.trim()).join(" ")
    || (["BUTTON", "A", "SUMMARY"].includes(element.tagName) ? element.textContent.trim() : "")
    || [...element.querySelectorAll("img[alt]")].map((image) => image.alt).join(" ");
  for (const element of document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=listbox], [role=img], dialog, nav, main article")) {
    if (shown(element) && !name(element)) problems.push(`no name: ${describe(element)}`);
  }
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) problems.push(`no alt: ${image.src}`);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push(`two elements are ${id}`);
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-activedescendant", "for"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(/\s+/)) if (!ids.includes(id)) problems.push(`${attribute} names ${id}, which is not there`);
    }
  }
  for (const option of document.querySelectorAll("[role=option]")) if (!option.closest("[role=listbox]")) problems.push("an option outside of a list");

  // MARK: Outline

  if (document.documentElement.lang === "") problems.push("the page has no language");
  if (document.querySelectorAll("main").length !== 1) problems.push("not one main");
  const headings = [...document.querySelectorAll("h1, h2, h3, h4")].filter((element) => element.checkVisibility?.() && !element.closest("dialog"));
  if (headings.filter((heading) => heading.tagName === "H1").length !== 1) problems.push("not one h1");
  headings.reduce((before, heading) => {
    const level = Number(heading.tagName[1]);
    if (level > before + 1) problems.push(`h${level} behind h${before}: ${heading.textContent}`);
    return level;
  }, 0);

  // MARK: Size and place

  if (document.documentElement.scrollWidth > innerWidth) problems.push(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
  for (const element of document.querySelectorAll("button, select, input")) {
    const box = element.getBoundingClientRect();
    if (shown(element) && (box.width < 20 || box.height < 20)) problems.push(`too small to hit: ${describe(element)}`);
  }

  // MARK: Contrast

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => top.slice(0, 3).map((value, index) => (value * top[3] + below[index] * (255 - top[3])) / 255);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), rgba("Canvas").slice(0, 3));
  };
  const luminance = (colour) => colour.slice(0, 3).map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const check = (element, colour, below, what) => {
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = contrast(over(rgba(colour), below), below);
    if (ratio < (isLarge ? 3 : 4.5)) problems.push(`contrast ${ratio.toFixed(2)}: ${what} of ${describe(element)}`);
  };
  for (const element of document.querySelectorAll("body *")) {
    if (!shown(element) || element.closest(":disabled, dialog ~ *")) continue;
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    if (element instanceof SVGElement) {
      if (hasText && !element.closest(".point.self")) check(element, getComputedStyle(element).fill, ground(element.closest("svg").parentElement), "text");
      continue;
    }
    if (hasText || element.matches("input, textarea, select")) check(element, getComputedStyle(element).color, ground(element), "text");
    if (element.matches("input[placeholder], textarea[placeholder]")) check(element, getComputedStyle(element, "::placeholder").color, ground(element), "placeholder");
  }
  return [...new Set(problems)];
})();
