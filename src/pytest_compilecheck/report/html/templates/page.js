"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const table = byId("contracts");
  const list = byId("list");
  const body = table.tBodies[0];

  // A contract is a row of the table and its details below: they are hidden and ordered together.
  const contracts = [...body.rows].map((row, index) => {
    const details = byId(`c${index + 1}`);
    const cells = [...row.cells].map((cell) => cell.textContent);
    const words = [...cells, details.querySelector(".headline").textContent];
    return { row, details, cells, text: words.join(" ").toLowerCase(), outcome: cells[0] };
  });

  function filter() {
    const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = byId("outcome").value;
    let shown = 0;
    for (const each of contracts) {
      const fits = words.every((word) => each.text.includes(word));
      const hidden = !fits || (outcome !== "" && each.outcome !== outcome);
      each.row.hidden = each.details.hidden = hidden;
      shown += hidden ? 0 : 1;
    }
    byId("shown").textContent = `${shown} of ${contracts.length} contracts shown`;
  }

  const collator = new Intl.Collator("en", { numeric: true });

  function compare(column, isNumber, sign) {
    return (one, other) => {
      if (!isNumber) return sign * collator.compare(one.cells[column], other.cells[column]);
      const [a, b] = [one, other].map((each) => parseFloat(each.cells[column]));
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return sign * (a - b);
    };
  }

  function sort(heading) {
    const falls = heading.getAttribute("aria-sort") === "ascending";
    for (const each of heading.parentNode.cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const isNumber = heading.classList.contains("right");
    contracts.sort(compare(heading.cellIndex, isNumber, falls ? -1 : 1));
    body.append(...contracts.map((each) => each.row));
    list.append(...contracts.map((each) => each.details));
  }

  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    button.addEventListener("click", () => sort(heading));
    heading.replaceChildren(button);
  }

  // Charts are drawn when what they stand in is first opened.
  const charts = byId("charts") && JSON.parse(byId("charts").textContent);
  let isPrinting = false;

  function draw(figure) {
    const chart = figure.querySelector(".chart");
    const spec = {
      ...charts.specs[chart.dataset.kind],
      config: charts.config,
      datasets: JSON.parse(figure.querySelector("script").textContent),
      width: "container",
    };
    figure.classList.add("drawn");
    const options = {
      mode: "vega-lite", renderer: "svg", actions: false,
      ast: true, // without eval(), which the page's policy forbids
      logLevel: 1, // errors: that a chart has no marks of a kind is none
      defaultStyle: false, tooltip: { disableDefaultStyle: true },
    };
    vegaEmbed(chart, spec, options).catch((error) => {
      chart.textContent = `This chart cannot be drawn: ${error.message}`;
      console.error(error);
    });
  }

  document.addEventListener("toggle", (event) => {
    if (!charts || !event.target.open || isPrinting) return;
    for (const figure of event.target.querySelectorAll("figure:not(.drawn)")) {
      if (figure.closest("details") === event.target) draw(figure);
    }
  }, true);

  function openTarget() {
    const target = /^#c\d+$/.test(location.hash) && byId(location.hash.slice(1));
    if (!target) return;
    target.open = true;
    target.scrollIntoView();
    target.querySelector("summary").focus();
  }

  // Printed, all that is not filtered out is open; what was closed closes again.
  let opened = [];
  addEventListener("beforeprint", () => {
    isPrinting = true;
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    // The events of opening come later.
    setTimeout(() => { isPrinting = false; });
  });

  byId("words").addEventListener("input", filter);
  byId("outcome").addEventListener("change", filter);
  document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", openTarget);
  body.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || link.hash !== location.hash) return;
    event.preventDefault(); // it would take the focus away
    openTarget();
  });
  root.classList.add("js");
  filter();
  openTarget();
})();
