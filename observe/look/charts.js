"use strict";
(() => {
  const list = JSON.parse(document.getElementById("charts").textContent);
  const drawn = list.map((c) => {
    const chart = echarts.init(document.getElementById(c.id));
    const times = c.option.xAxis.at(-1), tip = c.option.tooltip;
    if (c.labels) {
      const labels = new Set(c.labels);
      // ECharts would leave out labels that it takes for too close, the last
      // among them.
      times.axisLabel = { interval: (i) => labels.has(i), hideOverlap: false };
      times.axisTick = { interval: (i) => labels.has(i) };
      times.boundaryGap = false;
    }
    (c.decals || []).forEach((decal, i) => {
      if (decal) (c.option.series[i].itemStyle ||= {}).decal = decal;
    });
    if (c.tenants > 0) {
      const names = c.option.yAxis[1];
      names.axisLabel = { interval: 0 };
      names.axisTick = { show: false };
      names.z = 5; // its lines between SMs above the cells
      const sm = (row) => " on SM " + Math.floor(row / c.tenants);
      for (const s of c.option.series) {
        // All cells at once, so that the map is whole when the script has run.
        s.progressive = 0;
        if (s.type === "custom") {
          const decal = s.itemStyle.decal;
          s.renderItem = (_, api) => {
            const [x, y] = api.coord([api.value(0), api.value(2)]), [end] = api.coord([api.value(1), api.value(2)]);
            const [width, height] = api.size([1, 1]);
            return {
              type: "rect",
              shape: { x: x - width / 2, y: y - height / 2, width: end - x + width, height },
              style: { fill: "rgba(255,255,255,0.01)", decal },
            };
          };
        }
      }
      tip.formatter = (p) => {
        const v = p.value, tenant = (row) => c.option.series[row % c.tenants].name;
        if (p.seriesIndex < c.tenants)
          return p.marker + p.seriesName + sm(v[1]) + " from cycle " + times.data[v[0]] + ": " + v[2] + " " + c.unit;
        return tenant(v[2]) + sm(v[2]) + " " + p.seriesName + ", cycles " + times.data[v[0]] + " to " + times.data[v[1] + 1] +
          ": " + Math.round(v[3] * 10) / 10 + " KiB";
      };
    } else {
      tip.valueFormatter = (v) => (typeof v === "number" ? v + " " + c.unit : "not there");
    }
    chart.setOption(c.option);
    return chart;
  });
  addEventListener("resize", () => drawn.forEach((chart) => chart.resize()));
})();
