"use strict";
(() => {
  const make = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    e.append(...children);
    return e;
  };
  const ago = (s) => (s < 60 ? s + " s" : s < 3600 ? Math.floor(s / 60) + " min" : s < 86400 ? Math.floor(s / 3600) + " h" : Math.floor(s / 86400) + " days") + " ago";
  const table = (means) => make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...["policy", "GPU", "runs", "STP", "ANTT", "fairness"].map((name, k) => make("th", k < 2 ? { class: "text", scope: "col" } : { scope: "col" }, name)))),
    make("tbody", {}, ...means.map((m) => make("tr", {}, ...[m.policy, m.gpu, m.runs, m.stp, m.antt, m.fairness].map((v, k) => make("td", k < 2 ? { class: "text" } : {}, String(v))))))));
  const draw = (state) => {
    const focused = document.activeElement?.getAttribute("href");
    const list = state.stores.map((s) => {
      const at = "/stores/" + encodeURIComponent(s.name) + "/";
      const box = make("section", {}, make("h2", {}, make("a", { href: at }, s.name)));
      if (s.problem) box.append(make("p", { class: "problem" }, s.problem));
      else box.append(make("p", {}, s.runs + " stored, those of single applications included. Mixes: " + s.about + ". Last written " + ago(s.written) + "."));
      for (const w of s.sweeps) {
        box.append(make("h3", {}, make("a", { href: at + "sweeps/" + w.id + "/" }, w.command)),
          make("progress", { max: w.total, value: w.done, "aria-label": w.command }),
          make("p", { class: "progress" }, w.done + " of " + w.total + " runs" + (w.done === w.total ? ", all there" : ", begun " + w.began)));
      }
      if (s.means.length) box.append(make("h3", {}, "Means so far" + (s.means.length === 8 ? ", of the policies with the most runs" : "")), table(s.means));
      return box;
    });
    if (!list.length) list.push(make("section", {}, make("p", {}, "There is no store yet.")));
    if (state.pages.length) {
      list.push(make("section", {}, make("h2", {}, "Pages"), make("ul", {}, ...state.pages.map((p) => make("li", {}, make("a", { href: p.url }, p.name))))));
    }
    document.getElementById("stores").replaceChildren(...list);
    if (focused) [...document.links].find((a) => a.getAttribute("href") === focused)?.focus({ preventScroll: true });
  };
  draw(JSON.parse(document.getElementById("state").textContent));
  const news = document.getElementById("news");
  const follow = async () => {
    for (;;) {
      await new Promise((done) => setTimeout(done, 2000));
      if (document.hidden) continue;
      try {
        const answer = await fetch("/live.json", { cache: "no-store" });
        if (!answer.ok) throw new Error(await answer.text());
        draw(await answer.json());
        news.textContent = "";
      } catch (fault) {
        news.textContent = "No news: " + fault.message;
      }
    }
  };
  follow();
})();
