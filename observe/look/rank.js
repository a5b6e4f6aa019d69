// A table with data-top is in order of the column that its reader chooses, shows as many rows
// at first, and a search keeps the rows with all of its words.
for (const table of document.querySelectorAll("table[data-top]")) {
  const body = table.tBodies[0], top = Number(table.dataset.top);
  let rows = [...body.rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const head = table.closest("section").querySelector('.find[data-for="' + table.id + '"]');
  const field = head.querySelector("input"), count = head.querySelector("span"), more = head.querySelector("button");
  let whole = false;
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0, shown = 0;
    for (const { row, text } of rows) {
      const fits = words.every((w) => text.includes(w));
      row.hidden = !fits || (!whole && found >= top);
      if (fits) found++;
      if (!row.hidden) shown++;
    }
    count.textContent = shown + " of " + found;
    more.hidden = found <= top;
    more.textContent = whole ? "show " + top : "show all";
  };
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = cell.querySelector("button");
    button.addEventListener("click", () => {
      const was = cell.getAttribute("aria-sort"), text = cell.classList.contains("text");
      const up = was ? was === "descending" : text;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
      rows = rows.map((r) => ({ ...r, v: value(r.row, column) })).sort((a, b) => (up ? 1 : -1) * order(a.v, b.v));
      body.append(...rows.map((r) => r.row));
      show();
    });
  });
  field.addEventListener("input", show);
  more.addEventListener("click", () => { whole = !whole; show(); });
  show();
}
