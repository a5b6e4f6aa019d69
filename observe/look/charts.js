// The charts of a page: their options, zooming in time, and drawing.

const list = JSON.parse(document.getElementById("charts").textContent);

// timed says whether a chart's horizontal axis is time.
const timed = (c) => c.labels != null;

// axis is the number of the axis that shows a chart's moments.
const axis = (c) => c.option.xAxis.length - 1;

const cycleOf = (text) => Number(text.replaceAll(",", ""));

for (const c of list) {
  const option = c.option, times = option.xAxis.at(-1), tip = option.tooltip;
  c.place = document.getElementById(c.id);
  if (timed(c)) {
    c.cycles = times.data.map(cycleOf);
    c.shown = [0, c.cycles.length - 1];
    // ECharts would leave out labels that it takes for too close, the last among them.
    times.axisLabel = { interval: (i) => c.ticks.has(i), hideOverlap: false };
    times.axisTick = { interval: (i) => c.ticks.has(i) };
    times.boundaryGap = false;
    const zoom = (xAxisIndex) => ({ type: "inside", xAxisIndex, filterMode: "none", zoomOnMouseWheel: false, moveOnMouseMove: false, moveOnMouseWheel: false });
    option.dataZoom = option.xAxis.map((_, i) => zoom(i));
  }
  (c.decals || []).forEach((decal, i) => {
    if (decal) (option.series[i].itemStyle ||= {}).decal = decal;
  });
  if (c.tenants > 0) {
    const names = option.yAxis[1];
    names.axisLabel = { interval: 0 };
    names.axisTick = { show: false };
    names.z = 5; // its lines between SMs above the cells
    const sm = (row) => " on SM " + Math.floor(row / c.tenants);
    for (const s of option.series) {
      // All cells at once, so that the map is whole when the script has run.
      s.progressive = 0;
      if (s.type === "custom") {
        const decal = s.itemStyle.decal;
        s.clip = true;
        s.renderItem = (_, api) => {
          const [x, y] = api.coord([api.value(0), api.value(2)]), [end] = api.coord([api.value(1), api.value(2)]);
          const [width, height] = api.size([1, 1]);
          return {
            type: "rect",
            shape: { x: x - width / 2, y: y - height / 2, width: end - x + width, height },
            style: { fill: "rgba(255,255,255,0.01)", decal: toned(decal) },
          };
        };
      }
    }
    tip.formatter = (p) => {
      const v = p.value, tenant = (row) => echarts.format.encodeHTML(option.series[row % c.tenants].name);
      if (p.seriesIndex < c.tenants)
        return p.marker + tenant(v[1]) + sm(v[1]) + " from cycle " + times.data[v[0]] + ": " + v[2] + " " + c.unit;
      return tenant(v[2]) + sm(v[2]) + " " + p.seriesName + ", cycles " + times.data[v[0]] + " to " + times.data[v[1] + 1] +
        ": " + Math.round(v[3] * 10) / 10 + " KiB";
    };
  } else {
    tip.valueFormatter = (v) => (typeof v === "number" ? v + " " + c.unit : "not there");
  }
}

// leastLabel is the least distance of two labels of moments, in pixels.
const leastLabel = 62;

// tick chooses the labels of a chart's moments: those that the page names, as many as there
// is room for, or equal steps of what a zoom shows.
const tick = (c) => {
  const [from, to] = c.shown, most = Math.max(2, Math.floor(c.place.clientWidth / leastLabel));
  let chosen = c.labels;
  if (!whole(c)) {
    const step = Math.max(1, Math.ceil((to - from) / Math.min(most, 8)));
    chosen = [];
    for (let i = from; i <= to; i += step) chosen.push(i);
  }
  for (let every = 2; chosen.length > most; every++) {
    const all = chosen;
    chosen = all.filter((_, k) => (all.length - 1 - k) % every === 0);
  }
  c.ticks = new Set(chosen);
};

// name writes the names of series into bars of 100 % that are wide enough for them.
const name = (c) => {
  const width = c.place.clientWidth - 110;
  for (const s of c.option.series) {
    s.label = { formatter: "{a}", color: "#1d2430", backgroundColor: "#f4f5f7", padding: [2, 4], borderRadius: 3, fontSize: 11 };
    s.data = s.data.map((d) => ({ ...d, label: { show: (d.value / 100) * width > 6.5 * s.name.length + 12 } }));
  }
};

// rows are a chart's numbers as a table, heading included.
const rows = (c) => {
  const { xAxis, yAxis, series } = c.option;
  if (c.tenants > 0) {
    return [["from cycle", "SM", "tenant", c.unit], ...series.slice(0, c.tenants).flatMap((s, k) =>
      s.data.map((d) => d.value ?? d).map((v) => [c.cycles[v[0]], Math.floor(v[1] / c.tenants), series[k].name, v[2]]))];
  }
  const value = (d) => (d !== null && typeof d === "object" && !Array.isArray(d) ? d.value : d);
  const names = timed(c) ? c.cycles : xAxis[0].data ?? yAxis?.[0]?.data;
  if (!names) return [["series", "x", "y"], ...series.flatMap((s) => s.data.map((d) => [s.name, ...[value(d)].flat()]))];
  return [[timed(c) ? "core cycles" : xAxis[0].name || "row", ...series.map((s) => s.name)], ...names.map((name, i) => [name, ...series.map((s) => value(s.data[i]))])];
};

// draw draws a chart anew. The map has too many cells for elements of a document.
const draw = (c) => {
  c.chart?.dispose();
  c.chart = echarts.init(c.place, theme(), { renderer: c.tenants > 0 ? "canvas" : "svg" });
  if (timed(c)) tick(c);
  if (c.direct) name(c);
  c.chart.setOption(toned(c.option));
  if (timed(c)) {
    zoomBy(c);
    narrow(c);
  }
};

// narrow shows the moments of a zoom.
const narrow = (c) => {
  const [from, to] = c.shown;
  c.option.xAxis.forEach((_, i) => c.chart.dispatchAction({ type: "dataZoom", dataZoomIndex: i, startValue: from, endValue: i < axis(c) ? Math.max(from, to - 1) : to }));
};

const whole = (c) => c.shown[0] === 0 && c.shown[1] === c.cycles.length - 1;

// zoom shows the same time in all charts, from one core cycle to another.
const zoom = (from, to) => {
  for (const c of list.filter(timed)) {
    const end = c.cycles.length - 1, later = c.cycles.findIndex((cycle) => cycle > from), behind = c.cycles.findIndex((cycle) => cycle >= to);
    const last = behind < 0 ? end : Math.max(1, behind);
    c.shown = [Math.min(Math.max(0, (later < 0 ? end : later) - 1), last - 1), last];
    tick(c);
    narrow(c);
    c.reset.hidden = whole(c);
  }
};

// zoomBy lets the reader choose a time by dragging over a chart; a double click shows all.
const zoomBy = (c) => {
  const surface = c.chart.getZr(), band = document.createElement("div");
  band.className = "band";
  c.place.append(band);
  let begin = null;
  const index = (x) => Math.round(Math.min(c.cycles.length - 1, Math.max(0, c.chart.convertFromPixel({ xAxisIndex: axis(c) }, x))));
  const end = () => {
    begin = null;
    band.style.width = "0";
  };
  surface.on("mousedown", (e) => { if (c.chart.containPixel({ gridIndex: 0 }, [e.offsetX, e.offsetY])) begin = e.offsetX; });
  surface.on("mousemove", (e) => {
    if (begin == null) return;
    band.style.left = Math.min(begin, e.offsetX) + "px";
    band.style.width = Math.abs(begin - e.offsetX) + "px";
  });
  surface.on("mouseup", (e) => {
    if (begin == null) return;
    const [a, b] = [begin, e.offsetX].sort((x, y) => x - y);
    end();
    if (b - a >= 8) zoom(c.cycles[index(a)], c.cycles[index(b)]);
  });
  surface.on("globalout", end);
  surface.on("dblclick", () => zoom(-1, Infinity));
};

const all = () => {
  recolour();
  list.forEach(draw);
};

for (const c of list) {
  if (timed(c)) {
    c.reset = document.createElement("button");
    c.reset.type = "button";
    c.reset.className = "reset";
    c.reset.textContent = "Show the whole run";
    c.reset.hidden = true;
    c.reset.addEventListener("click", () => zoom(-1, Infinity));
    c.place.before(c.reset);
  }
  savable(c.place.closest("section"), c.id, () => ({ width: c.place.clientWidth, height: c.place.clientHeight }), () => c.option, () => rows(c));
}
all();
dark.addEventListener("change", all);
addEventListener("resize", () => list.forEach((c) => {
  c.chart.resize();
  if (!timed(c)) return;
  tick(c);
  narrow(c);
}));
