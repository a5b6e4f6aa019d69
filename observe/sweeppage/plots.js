// Charts: distributions by class, and normalised IPCs against the baseline.

const drawn = new Map(); // charts by the id of their place

// plot draws a chart of an option in a place, and has its points lead to their runs; rows
// are its numbers for readers who save them.
const plot = (place, option, rows) => {
  let chart = drawn.get(place.id);
  if (chart && chart.getDom() !== place) {
    chart.dispose();
    chart = null;
  }
  if (!chart) {
    chart = echarts.init(place, theme(), { renderer: "svg" });
    chart.on("click", (e) => { if (e.data?.point != null) show(e.data.point); });
    drawn.set(place.id, chart);
    savable(place.parentNode, place.id, () => ({ width: place.clientWidth, height: place.clientHeight }), () => chart.light, () => chart.rows());
  }
  chart.light = option;
  chart.rows = rows;
  chart.setOption(toned({ animation: false, ...option }), { notMerge: true });
};

// forget disposes of charts whose place is gone.
const forget = () => {
  for (const [id, chart] of drawn) {
    if (chart.getDom().isConnected) continue;
    chart.dispose();
    drawn.delete(id);
  }
};

const escaped = (text) => echarts.format.encodeHTML(text);

const about = (i) => escaped(data.mixes[data.mix[i]]) + "<br>" + escaped(data.policies[data.policy[i]] + " on " + data.gpus[data.gpu[i]]) +
  (data.settings[data.setting[i]] ? "<br>" + escaped(data.settings[data.setting[i]]) : "");

const tooltip = (formatter) => ({ trigger: "item", confine: true, formatter, extraCssText: "max-width:340px;white-space:normal;overflow-wrap:anywhere" });

const narrow = () => innerWidth < 640;

const quantile = (sorted, q) => {
  const at = (sorted.length - 1) * q, k = Math.floor(at);
  return sorted[k] + (at - k) * ((sorted[k + 1] ?? sorted[k]) - sorted[k]);
};

const boxFrom = 5; // values
const mostPoints = 3000; // that a chart draws; beyond, only those outside the whiskers

// groupsOf are the classes of points, and all of them if there are several.
const groupsOf = (points) => {
  const classes = [...new Set(points.map((i) => className(data.mix[i])))].sort();
  const groups = classes.map((name) => ({ name, has: (i) => className(data.mix[i]) === name }));
  if (classes.length > 1) groups.push({ name: "all", has: () => true });
  return groups;
};

// frame is what the charts by class have in common: a place on the x axis for each
// group, in which columns stand side by side.
const frame = (groups, extra) => ({
  grid: { left: 44, right: 10, top: 18, bottom: groups.length > 5 ? 42 : 28 },
  xAxis: { type: "value", min: -0.5, max: groups.length - 0.5, interval: 1, splitLine: { show: false }, axisTick: { show: false },
    axisLabel: { show: false }, axisLine: { onZero: false } },
  yAxis: { type: "value", scale: true, axisLine: { onZero: false }, ...extra },
});

// labels writes the groups' names under their places, which a value axis cannot; in
// two lines where there are many.
const labels = (groups) => ({
  type: "custom", silent: true, clip: false, data: groups.map((_, g) => [g]), encode: { x: 0, y: [] },
  renderItem: (p, api) => ({
    type: "text", style: { text: groups[p.dataIndex].name, x: api.coord([p.dataIndex, 0])[0], y: p.coordSys.y + p.coordSys.height + 8 + (groups.length > 5 && p.dataIndex % 2 ? 14 : 0), align: "center", fill: toned("#5a6474"), fontSize: 12 },
  }),
});

// placeOf is where a column stands in a group, and how wide it is.
const placeOf = (g, k, n) => g + ((k + 0.5) / n - 0.5) * 0.86;
const widthOf = (n) => 0.86 / n;

// spread makes the same small step aside for the same point, always.
const spread = (i) => ((Math.imul(i + 1, 2654435761) >>> 0) / 4294967296 - 0.5) * 0.5;

const distribution = (columns, groups, m) => {
  const n = columns.length, width = widthOf(n), series = [];
  const few = columns.reduce((sum, c) => sum + c.points.length, 0) <= mostPoints;
  columns.forEach((c, k) => {
    const boxes = [], dots = [];
    groups.forEach((group, g) => {
      const points = c.points.filter((i) => value(m, i) != null && group.has(i));
      if (!points.length) return;
      const sorted = points.map((i) => value(m, i)).sort((a, b) => a - b);
      const box = sorted.length >= boxFrom, q = [0.25, 0.5, 0.75].map((x) => quantile(sorted, x)), reach = 1.5 * (q[2] - q[0]);
      const low = sorted.find((v) => v >= q[0] - reach), high = sorted.findLast((v) => v <= q[2] + reach);
      const x = placeOf(g, k, n);
      if (box) boxes.push({ value: [x, low, ...q, high], count: sorted.length, group: group.name });
      for (const i of points) {
        const outside = value(m, i) < low || value(m, i) > high;
        if (!box || outside || (few && group.name !== "all")) dots.push({ value: [x + (box && outside ? 0 : spread(i)) * width, value(m, i)], point: i });
      }
    });
    series.push({
      type: "custom", name: c.name, data: boxes, itemStyle: { color: c.colour }, z: 2, encode: { x: 0, y: [1, 2, 3, 4, 5] },
      renderItem: (p, api) => {
        const at = (y) => api.coord([api.value(0), y]), half = Math.max(1, api.size([width, 0])[0] * 0.36), x = at(0)[0];
        const [low, q1, q2, q3, high] = [1, 2, 3, 4, 5].map((d) => at(api.value(d))[1]);
        const line = (x1, y1, x2, y2, lineWidth) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: toned(c.colour), lineWidth } });
        return { type: "group", children: [
          { type: "rect", shape: { x: x - half, y: q3, width: 2 * half, height: Math.max(1, q1 - q3) }, style: { fill: toned(c.colour), opacity: 0.28, stroke: toned(c.colour), lineWidth: 1.2 } },
          line(x, low, x, q1, 1.2), line(x, q3, x, high, 1.2), line(x - half, q2, x + half, q2, 2.6),
        ] };
      },
    });
    series.push({ type: "scatter", name: c.name, data: dots, symbol: c.symbol, symbolSize: few ? 5 : 3.5, itemStyle: { color: c.colour, opacity: 0.75 }, z: 3 });
  });
  return {
    ...frame(groups, {}),
    tooltip: tooltip((p) => {
      if (p.data.point != null) return about(p.data.point) + "<br>" + escaped(data.metrics[m].name) + ": <b>" + figure(value(m, p.data.point)) + "</b>";
      const [, low, q1, q2, q3, high] = p.data.value;
      return escaped(p.seriesName) + ", " + escaped(p.data.group) + ", " + plural(p.data.count, "run") + "<br>median <b>" + figure(q2) + "</b>, middle half " +
        figure(q1) + " to " + figure(q3) + ", whiskers " + figure(low) + " to " + figure(high);
    }),
    series: [...series, labels(groups)],
  };
};

// reached is a bar for each column and group: the part of the runs with goals that
// reached them.
const reached = (columns, groups) => {
  const n = columns.length, width = widthOf(n);
  const series = columns.map((c, k) => ({
    type: "custom", name: c.name, itemStyle: { color: c.colour }, encode: { x: 0, y: 1 },
    data: groups.flatMap((group, g) => {
      const points = c.points.filter((i) => group.has(i) && value(overGoal, i) != null);
      return points.length ? [{ value: [placeOf(g, k, n), 100 * reach(points)], count: points.length, group: group.name }] : [];
    }),
    renderItem: (p, api) => {
      const [x, y] = api.coord([api.value(0), api.value(1)]), zero = api.coord([0, 0])[1], w = Math.max(2, api.size([width, 0])[0] * 0.8);
      return { type: "rect", shape: { x: x - w / 2, y, width: w, height: Math.max(1, zero - y) }, style: { fill: toned(c.colour) } };
    },
  }));
  return {
    ...frame(groups, { min: 0, max: 100, axisLabel: { formatter: "{value} %" } }),
    tooltip: tooltip((p) => escaped(p.seriesName) + ", " + escaped(p.data.group) + ": <b>" + p.data.value[1].toFixed(1) + " %</b> of " + plural(p.data.count, "run") + " with goals"),
    series: [...series, labels(groups)],
  };
};

// keyOf draws a column's mark as an SVG picture, in its colour.
const keyOf = (c) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("width", "14");
  svg.setAttribute("height", "14");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", { circle: "M7 1a6 6 0 1 0 0.01 0z", rect: "M1 1h12v12h-12z", triangle: "M7 1l6 12h-12z", diamond: "M7 0l6 7-6 7-6-7z",
    roundRect: "M3 1h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2z", pin: "M7 14l-4-7a4.4 4.4 0 1 1 8 0z", arrow: "M7 1l5 12-5-4-5 4z" }[c.symbol]);
  path.setAttribute("fill", toned(c.colour));
  svg.append(path);
  return make("span", {}, svg, c.name);
};

const drawDistributions = (columns, points) => {
  const place = $("distributions");
  $("keys").replaceChildren(...columns.map(keyOf));
  if (!columns.length) {
    place.replaceChildren(without(nothing()));
    return forget();
  }
  const groups = groupsOf(points), wanted = metricsShown().map((x) => ({ id: "by-class-" + x.m, title: x.name, about: x.about + " " + (x.better === "higher" ? "Higher is better." : "Lower is better."), m: x.m }));
  if (chosen.metric.has(data.metrics[overGoal].name)) wanted.push({ id: "by-class-reach", title: "QoSreach", about: "The part of the runs with goals in which all were reached." });
  const has = (x) => points.some((i) => value(x.m ?? overGoal, i) != null);
  place.replaceChildren(...wanted.map((x) => make("div", { class: groups.length * columns.length > 24 ? "many" : null }, make("h3", {}, x.title), make("p", {}, x.about),
    has(x) ? make("div", { class: "chart", id: x.id, role: "img", "aria-label": x.title + " by class and policy; the tables have the same numbers" })
      : without(x.m === overGoal || x.m == null ? "No run that is shown has a goal." : x.title + " is not defined in any run that is shown."))));
  forget();
  for (const x of wanted) {
    if (has(x)) plot($(x.id), x.m == null ? reached(columns, groups) : distribution(columns, groups, x.m), () => byRun(columns, x.title, (i) => value(x.m ?? overGoal, i)));
  }
};

// byRun lists a figure of each run that is shown.
const byRun = (columns, name, of) => [["mix", "class", "policy", "gpu", "window", name],
  ...columns.flatMap((c) => c.points.map((i) => [data.mixes[data.mix[i]], className(data.mix[i]), c.policy, c.gpu, data.settings[data.setting[i]], of(i)]))];

// drawBars draws the mean of each figure under each policy, with a line over the middle half of
// its runs and thin ends at the least and the largest.
const drawBars = (columns) => {
  const place = $("means-bars"), shown = metricsShown().map((x) => {
    const lost = starved(columns, x.m);
    const bars = columns.map((c) => fed(c.points, lost).map((i) => value(x.m, i)).filter((v) => v != null).sort((a, b) => a - b));
    return { ...x, bars };
  }).filter((x) => x.bars.some((list) => list.length));
  place.replaceChildren(...shown.map((x) => make("div", {}, make("h3", {}, x.name), make("p", {}, x.better === "higher" ? "Higher is better." : "Lower is better."),
    make("div", { class: "chart", id: "mean-" + x.m, style: "height:" + (40 + 26 * columns.length) + "px", role: "img", "aria-label": "Mean " + x.name + " by policy; the table has the same numbers" }))));
  forget();
  for (const x of shown) plot($("mean-" + x.m), meanBars(columns, x), () => byRun(columns, x.name, (i) => value(x.m, i)));
};

const meanBars = (columns, x) => ({
  grid: { left: 4, right: 18, top: 6, bottom: 24, containLabel: true },
  xAxis: { type: "value", min: 0 },
  yAxis: { type: "category", inverse: true, data: columns.map((c) => c.name), axisTick: { show: false }, axisLabel: { interval: 0, width: narrow() ? 110 : 190, overflow: "break", fontSize: 12, lineHeight: 12 } },
  tooltip: tooltip((p) => {
    const list = x.bars[p.dataIndex];
    return escaped(columns[p.dataIndex].name) + ", " + plural(list.length, "run") + "<br>mean <b>" + figure(mean(list)) + "</b>, middle half " +
      figure(quantile(list, 0.25)) + " to " + figure(quantile(list, 0.75)) + ", all " + figure(list[0]) + " to " + figure(list.at(-1));
  }),
  series: [
    { type: "bar", name: x.name, barMaxWidth: 14, data: columns.map((c, k) => ({ value: x.bars[k].length ? mean(x.bars[k]) : null, itemStyle: { color: c.colour, opacity: 0.75 } })) },
    { type: "custom", name: "spread", z: 3, encode: { x: [0, 1, 2, 3], y: 4 }, data: x.bars.flatMap((list, k) => (list.length > 1 ? [[list[0], quantile(list, 0.25), quantile(list, 0.75), list.at(-1), k]] : [])),
      tooltip: { show: false }, silent: true,
      renderItem: (p, api) => {
        const y = api.coord([0, api.value(4)])[1], at = (d) => api.coord([api.value(d), 0])[0], stroke = toned("#1d2430");
        const line = (x1, x2, lineWidth) => ({ type: "line", shape: { x1, y1: y, x2, y2: y }, style: { stroke, lineWidth } });
        return { type: "group", children: [line(at(0), at(3), 1), line(at(1), at(2), 4)] };
      } },
  ],
});

const drawScatter = (columns, points) => {
  const place = $("scatter-place");
  $("scatter-about").textContent = baseline.policy === "" ? "" : "Each application of each mix: its normalised IPC under " + nameOfBase() +
    " to the right, under the other policies upwards" + (whereBase() && "," + whereBase()) + ". Above the line it has more than under the baseline.";
  const others = columns.filter((c) => !c.points.every(isBase));
  $("scatter-keys").replaceChildren(...others.map(keyOf));
  const series = others.map((c) => ({
    type: "scatter", name: c.name, symbol: c.symbol, symbolSize: 7, itemStyle: { color: c.colour, opacity: 0.7 },
    data: c.points.flatMap((i) => {
      const base = basesOf(i)[0];
      if (base == null || base === i) return [];
      return data.apps[data.mix[i]].flatMap((app, k) => {
        const x = normal(k, base), y = normal(k, i);
        return x == null || y == null ? [] : [{ value: [x, y], point: i, app: data.names[app] }];
      });
    }),
  })).filter((s) => s.data.length);
  if (!series.length) {
    place.replaceChildren(without(!columns.length ? nothing() : !others.length ? "Choose another policy than the baseline, " + nameOfBase() + ", to compare with it."
      : "No mix that is shown has a run of the baseline, " + nameOfBase() + (whereBase() && "," + whereBase()) + "."));
    return forget();
  }
  if (!$("scatter")) place.replaceChildren(make("div", {}, make("div", { class: "chart", id: "scatter", role: "img", "aria-label": "Normalised IPCs against the baseline; the table of runs has the same numbers" })));
  const most = Math.max(1, ...series.flatMap((s) => s.data.map((d) => Math.max(...d.value)))), end = Math.ceil(most * 10) / 10;
  series.push({ type: "line", data: [[0, 0], [end, end]], symbol: "none", silent: true, lineStyle: { color: "#8a93a3", type: "dashed", width: 1 }, z: 1, tooltip: { show: false } });
  plot($("scatter"), {
    grid: { left: 52, right: 14, top: 14, bottom: 44 },
    xAxis: { type: "value", min: 0, max: end, name: "normalised IPC under " + (narrow() ? "the baseline" : nameOfBase()), nameLocation: "middle", nameGap: 26 },
    yAxis: { type: "value", min: 0, max: end, name: "normalised IPC", nameLocation: "middle", nameGap: 34 },
    tooltip: tooltip((p) => (p.data.point == null ? "" : "<b>" + escaped(p.data.app) + "</b> in " + about(p.data.point) + "<br>" + figure(p.data.value[1]) + ", " + figure(p.data.value[0]) + " under the baseline")),
    series,
  }, () => [["mix", "application", "policy", "gpu", "under the baseline", "normalised IPC"],
    ...series.flatMap((s) => s.data.filter((d) => d.point != null).map((d) => [data.mixes[data.mix[d.point]], d.app, data.policies[data.policy[d.point]], data.gpus[data.gpu[d.point]], ...d.value]))]);
};

addEventListener("resize", () => drawn.forEach((chart) => chart.resize()));
