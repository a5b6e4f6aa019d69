// Colours for light and dark surroundings, and charts that can be saved.

const dark = matchMedia("screen and (prefers-color-scheme: dark)");

// saving: a picture is being saved, which has the colours of light surroundings.
let saving = false;

// toned is a value with the colours of the surroundings in place of those of light ones.
const toned = (value) => {
  if (!dark.matches || saving) return value;
  if (typeof value === "string") return tones[value] ?? value;
  if (Array.isArray(value)) return value.map(toned);
  if (value?.constructor !== Object) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, toned(v)]));
};

// theme is how ECharts draws what an option leaves open.
const theme = () => {
  const ink = toned("#1d2430"), faint = toned("#5a6474"), line = toned("#e1e4ea"), ground = toned("#ffffff");
  const axis = { axisLine: { lineStyle: { color: faint } }, axisTick: { lineStyle: { color: faint } }, axisLabel: { color: faint }, nameTextStyle: { color: faint }, splitLine: { lineStyle: { color: line } } };
  return {
    textStyle: { color: ink }, categoryAxis: { ...axis, splitLine: { show: false } }, valueAxis: axis,
    legend: { textStyle: { color: ink }, pageTextStyle: { color: ink } },
    tooltip: { backgroundColor: ground, borderColor: line, textStyle: { color: ink } },
  };
};

// recolour gives the marks in legends and tables the colours of the surroundings.
const recolour = () => {
  for (const mark of document.querySelectorAll("i[style]")) {
    mark.dataset.light ??= mark.getAttribute("style");
    mark.setAttribute("style", mark.dataset.light.replace(/#[0-9a-f]{6}\b/g, (colour) => toned(colour)));
  }
};

// download hands the reader a file.
const download = (name, type, parts) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// csvOf has a line for each row of cells.
const csvOf = (rows) => rows.map((row) => row.map((cell) => {
  const text = cell == null || cell === "-" ? "" : String(cell);
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}).join(",")).join("\n") + "\n";

// savable puts buttons into a place that save a chart as it stands: as pictures, in the
// colours of light surroundings, and its numbers as CSV. light is the chart's option without
// tones, rows are its numbers.
const savable = (place, id, size, light, rows) => {
  const picture = (renderer, more) => {
    const at = renderer === "svg" ? null : document.createElement("div");
    const copy = echarts.init(at, null, { renderer, ...size(), ...more });
    copy.setOption({ animation: false, backgroundColor: "#fff", ...light() });
    return copy;
  };
  const kinds = {
    SVG: () => {
      const copy = picture("svg", { ssr: true });
      download(id + ".svg", "image/svg+xml", [copy.renderToSVGString()]);
      copy.dispose();
    },
    PNG: () => {
      const copy = picture("canvas", { devicePixelRatio: 2 });
      const bytes = Uint8Array.from(atob(copy.getDataURL({ type: "png", pixelRatio: 2 }).split(",")[1]), (c) => c.charCodeAt(0));
      download(id + ".png", "image/png", [bytes]);
      copy.dispose();
    },
    CSV: () => download(id + ".csv", "text/csv", [csvOf(rows())]),
  };
  const bar = document.createElement("div");
  bar.className = "save";
  for (const [kind, save] of Object.entries(kinds)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.setAttribute("aria-label", "Save " + id + " as " + kind);
    button.addEventListener("click", () => {
      saving = true;
      try {
        save();
      } finally {
        saving = false;
      }
    });
    bar.append(button);
  }
  place.prepend(bar);
};
