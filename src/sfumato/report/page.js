"use strict";

// The library of the figure, packed in the page. What is injected runs only because the page's rule lists its digest.
async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("library").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const library = document.createElement("script");
  library.textContent = await new Response(stream).text();
  document.head.append(library);
}

// The figure. Its width follows the window, and the sheet while printing; its colours follow the page's.
const picture = document.getElementById("picture");
const drawing = JSON.parse(document.getElementById("drawing").textContent);
const night = matchMedia("(prefers-color-scheme: dark)");
const options = {
  responsive: true,
  displaylogo: false,
  // No button but these: plotly also has one that sends the data to a server.
  modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  showSendToCloud: false,
  plotlyServerURL: "",
  toImageButtonOptions: { filename: "front", scale: 2 },
};
const height = drawing.layout.height;
// A4 between its margins, at the zoom of printing: lying, or standing where several panels need the room.
const isTall = height > 690 / 0.75;
const zoom = isTall ? Math.min(0.75, 960 / height) : 0.75;
const sheet = { width: (isTall ? 680 : 980) / zoom, height: height };
picture.parentElement.classList.toggle("tall", isTall);

const NARROW = 560;
let isPrinting = false;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Colours of paper, text and lines; fewer marks on axes where there is no room for more.
function look(layout, width) {
  const made = { paper_bgcolor: colour("ground"), plot_bgcolor: colour("ground"), "font.color": colour("ink") };
  Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name)).forEach((name) => {
    made[`${name}.gridcolor`] = colour("grid");
    made[`${name}.color`] = colour("ink");
    made[`${name}.tickfont.color`] = colour("ink");
    made[`${name}.title.font.color`] = colour("ink");
    const ticks = layout[name].tickvals;
    if (name.startsWith("x") && ticks) {
      const step = width < NARROW ? Math.ceil(ticks.length / 5) : 1;
      made[`${name}.tickvals`] = ticks.filter((_, place) => place % step === 0);
      made[`${name}.ticktext`] = (layout[name].ticktext || ticks).filter((_, place) => place % step === 0);
    } else if (name.startsWith("x")) {
      made[`${name}.nticks`] = width < NARROW ? 4 : 0;
    }
  });
  return made;
}

// Marks that are dark on paper would vanish at night, and printing is on paper.
const DARK_MARKS = {
  "#000000": "ink", "#222222": "ink", "#31688e": "after", "#d55e00": "before",
  "#007a5a": "good", "#a0447a": "bad", "#5b5bb0": "after",
};

function recolour(traces) {
  const isNight = night.matches && !isPrinting;
  traces.forEach((trace, place) => {
    const own = drawing.data[place];
    const marks = {};
    [["marker", "color"], ["marker", "line", "color"], ["line", "color"], ["textfont", "color"]].forEach((path) => {
      const value = path.reduce((part, key) => part && part[key], own);
      if (typeof value === "string") {
        const name = DARK_MARKS[value.toLowerCase()];
        marks[path.join(".")] = isNight && name ? colour(name) : value;
      }
    });
    if (Object.keys(marks).length) Plotly.restyle(picture, marks, [place]);
  });
}

function dress() {
  Plotly.relayout(picture, look(drawing.layout, picture.clientWidth));
  recolour(picture.data);
}

function begin() {
  Plotly.newPlot(picture, structuredClone(drawing.data), structuredClone(drawing.layout), options);
  dress();
  night.addEventListener("change", () => {
    dress();
    if (pair) showPair();
  });
  addEventListener("resize", dress);
  addEventListener("beforeprint", () => {
    isPrinting = true;
    picture.style.zoom = zoom;
    Plotly.relayout(picture, { ...look(drawing.layout, sheet.width), ...sheet });
    recolour(picture.data);
  });
  addEventListener("afterprint", () => {
    isPrinting = false;
    picture.style.zoom = "";
    Plotly.relayout(picture, { width: null, height: height, autosize: true });
    dress();
  });
  if (pair) {
    picture.on("plotly_click", (event) => choose(event.points[0].customdata));
    showPair();
  }
}

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

// Two solutions side by side: their rows of the table turned upright, and the sizes of their classes.
const pair = document.getElementById("pair");
const sizes = document.getElementById("sizes");
const choices = ["first", "second"].map((name) => document.getElementById(name));
const rowOf = new Map();
let turn = 0;

function element(name, text, look) {
  const made = document.createElement(name);
  made.textContent = text;
  if (look) made.className = look;
  return made;
}

function betterOf(heading, values) {
  const way = heading.dataset.better;
  if (!way || values[0] === values[1] || values.some(Number.isNaN)) return -1;
  return (values[0] > values[1]) === (way === "larger") ? 0 : 1;
}

function pairRow(heading, column, numbers) {
  const cells = numbers.map((number) => rowOf.get(number).cells[column]);
  const better = betterOf(heading, cells.map((cell) => Number(cell.dataset.value)));
  const row = document.createElement("tr");
  const name = element("th", heading.textContent);
  name.scope = "row";
  // In the table, a heading above all attributes says that bare numbers are levels.
  const isLevel = !heading.classList.contains("measure");
  const texts = cells.map((cell) => cell.textContent.replace(/^(?=\d+(:|$))/, isLevel ? "level " : ""));
  if (texts[0] === texts[1]) texts[1] = "the same";
  const shown = texts.map((text, side) => element("td", text, side === better ? "better" : ""));
  row.append(name, ...shown, element("td", better >= 0 ? `solution ${numbers[better]}` : ""));
  return row;
}

function sizeRange(low, high) {
  const isWide = high > 100 * low;
  const [first, last] = isWide ? [Math.log10(low), Math.log10(high)] : [low, high];
  const pad = 0.02 * (last - first) || 0.5;
  const range = [first - pad, last + pad];
  if (!isWide) return { range: range };
  const powers = [...Array(Math.floor(last) + 1).keys()];
  const ticks = powers.flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));
  const texts = ticks.map((tick) => tick.toLocaleString("en-US"));
  return { range: range, type: "log", tickvals: ticks, ticktext: texts, tickangle: 0 };
}

function drawSizes(numbers) {
  const known = numbers.map((number) => drawing.sizes[number]);
  if (!known.every(Boolean)) {
    Plotly.purge(sizes);
    return;
  }
  const high = Math.max(...known.map((item) => item[0][item[0].length - 1]));
  const low = Math.min(...known.map((item) => item[0][0]));
  const lines = known.map(([x, y], side) => ({
    x: [x[0], ...x, high],
    y: [0, ...y, 100],
    mode: "lines",
    line: { shape: "hv", width: 2.5, color: colour(side ? "before" : "after"), dash: side ? "dash" : "solid" },
    name: `solution ${numbers[side]}`,
    hovertemplate: "%{y:.1f} %",
  }));
  const grid = { gridcolor: colour("grid"), zeroline: false };
  const axis = { ...grid, title: { text: "class size" }, separatethousands: true, ...sizeRange(low, high) };
  const layout = {
    font: { ...drawing.layout.font, color: colour("ink") },
    paper_bgcolor: colour("ground"),
    plot_bgcolor: colour("ground"),
    height: 340,
    margin: { l: 84, r: 40, t: 40, b: 56 },
    hovermode: "x unified",
    legend: { orientation: "h", x: 0, y: 1.01, yanchor: "bottom" },
    xaxis: axis,
    yaxis: { ...grid, title: { text: "rows in classes<br>up to this size" }, ticksuffix: " %", range: [-3, 103] },
  };
  Plotly.react(sizes, lines, layout, options);
}

function showPair() {
  const numbers = choices.map((choice) => Number(choice.value));
  const table = element("table", "", "pair");
  const head = document.createElement("tr");
  const titles = ["", ...numbers.map((number) => `Solution ${number}`), "better"];
  head.append(...titles.map((text) => element("th", text)));
  const top = document.createElement("thead");
  top.append(head);
  const rows = document.createElement("tbody");
  headings.forEach((heading, column) => column && rows.append(pairRow(heading, column, numbers)));
  table.append(top, rows);
  pair.replaceChildren(table);
  drawSizes(numbers);
}

function choose(number) {
  if (!rowOf.has(number)) return;
  choices[turn].value = String(number);
  turn = 1 - turn;
  showPair();
}

if (pair) {
  [...body.rows].forEach((row) => rowOf.set(Number(row.cells[0].dataset.value), row));
  const numbers = [...rowOf.keys()];
  const begin = [...new Set([...drawing.begin.filter((number) => rowOf.has(number)), ...numbers])];
  choices.forEach((choice, side) => {
    choice.append(...numbers.map((number) => element("option", String(number))));
    choice.value = String(begin[side]);
    choice.addEventListener("change", showPair);
  });
}

unpack().then(begin);
