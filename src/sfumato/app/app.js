// On a narrow screen a figure has fewer ticks, and what its colours mean is said only below it.
const sfumatoFitted = (figure) => {
  if (innerWidth > 600) return figure;
  const {layout, data} = figure, xaxis = {...layout.xaxis, tickangle: 0}, texts = xaxis.ticktext ?? [];
  const isTen = (text) => /^10*$/.test(text.replaceAll(",", ""));
  const isKept = texts.filter(isTen).length > 1 ? isTen : (text, place) => place % 2 == 0;
  if (xaxis.ticktext) xaxis.ticktext = texts.map((text, place) => isKept(text, place) ? text : "");
  const colorbar = {title: {text: ""}, thickness: 10};
  const slim = (trace) => trace.marker?.colorbar
    ? {...trace, marker: {...trace.marker, colorbar: {...trace.marker.colorbar, ...colorbar}}} : trace;
  return {...figure, data: data.map(slim), layout: {...layout, xaxis}};
};

// Somebody is in the midst of a field for text.
const sfumatoIfText = (e, emit) => {
  const isText = e.target.matches("input:not([type=file], [type=checkbox]), textarea");
  if (isText && !e.target.closest(".q-select")) emit();
};

// What a browser does with values and groups; the server hears of values that move.
const sfumatoDragging = {
  dragstart: (e) => e.dataTransfer.setData("text/plain", e.target.dataset.value),
  dragover: (e) => { if (e.target.closest(".group")) e.preventDefault(); },
  drop: (e, emit) => {
    e.preventDefault();
    const group = e.target.closest(".group");
    if (group) emit([[e.dataTransfer.getData("text/plain")], group.dataset.group]);
  },
  click: (e, emit) => {
    const value = e.target.closest("[data-value]"), group = e.target.closest(".group > button");
    if (value) value.ariaPressed = value.ariaPressed !== "true";
    const pressed = e.target.closest(".groups").querySelectorAll("[aria-pressed=true]");
    const held = [...pressed].map((item) => item.dataset.value);
    if (group && held.length) emit([held, group.parentElement.dataset.group]);
  },
};

// Stream a file to the server; it says what became of it.
const sfumatoSend = async (e, emit, page) => {
  const file = e.target.files[0];
  if (!file) return;
  e.target.setAttribute("aria-busy", "true");
  const headers = {"x-file-name": encodeURIComponent(file.name)};
  const answer = await fetch(`/upload?page=${page}`, {method: "POST", body: file, headers}).catch(() => null);
  e.target.value = "";
  e.target.removeAttribute("aria-busy");
  emit(answer === null ? "lost" : answer.ok ? "taken" : answer.status == 413 ? "large" : "lost");
};
