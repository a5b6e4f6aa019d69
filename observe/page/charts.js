"use strict";
(() => {
  const list = JSON.parse(document.getElementById("charts").textContent);
  const drawn = list.map((c) => {
    const chart = echarts.init(document.getElementById(c.id));
    const x = c.option.xAxis[0], y = c.option.yAxis[0], tip = c.option.tooltip;
    if (c.tick > 0) {
      const round = (i) => Number(x.data[i].replaceAll(",", "")) % c.tick === 0;
      x.axisLabel = { interval: round };
      x.axisTick = { interval: round };
      x.boundaryGap = c.tenants > 0;
    }
    if (c.tenants > 0) {
      y.axisLabel = { interval: 0 };
      y.axisTick = { show: false };
      // All cells at once, so that the map is whole when the script has run.
      for (const s of c.option.series) s.progressive = 0;
      tip.formatter = (p) =>
        p.marker + p.seriesName + " on SM " + Math.floor(p.value[1] / c.tenants) +
        " from cycle " + x.data[p.value[0]] + ": " + p.value[2] + " " + c.unit;
    } else {
      tip.valueFormatter = (v) => v + " " + c.unit;
    }
    chart.setOption(c.option);
    return chart;
  });
  addEventListener("resize", () => drawn.forEach((chart) => chart.resize()));
})();
