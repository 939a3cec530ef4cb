"use strict";

// The figure. Its width follows the window, and the sheet while printing.
const picture = document.getElementById("picture");
const drawing = JSON.parse(document.getElementById("drawing").textContent);
const options = {
  responsive: true,
  displaylogo: false,
  // No button but these: plotly also has one that sends the data to a server.
  modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  showSendToCloud: false,
  plotlyServerURL: "",
  toImageButtonOptions: { filename: "front", scale: 2 },
};
Plotly.newPlot(picture, drawing.data, drawing.layout, options);
const height = drawing.layout.height;
// A4 landscape between its margins, at the zoom that the style sheet sets for printing.
const sheet = { width: 980 / 0.75, height: Math.min(height, 690 / 0.75) };
addEventListener("beforeprint", () => Plotly.relayout(picture, sheet));
addEventListener("afterprint", () => Plotly.relayout(picture, { width: null, height: height, autosize: true }));

// The table. A click on a heading sorts by its column, a second one turns the order round.
const body = document.querySelector("tbody");
const headings = [...document.querySelectorAll("th[aria-sort]")];

function sortBy(column) {
  const heading = headings[column];
  const rising = heading.getAttribute("aria-sort") !== "ascending";
  headings.forEach((other) => other.setAttribute("aria-sort", "none"));
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const value = (row) => Number(row.cells[column].dataset.value);
  const number = (row) => Number(row.cells[0].dataset.value);
  const sign = rising ? 1 : -1;
  const rows = [...body.rows].sort((a, b) => sign * (value(a) - value(b)) || number(a) - number(b));
  body.append(...rows);
}

headings.forEach((heading, column) => heading.querySelector("button").addEventListener("click", () => sortBy(column)));
