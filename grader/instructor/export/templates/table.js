// Comfort for a table that is complete without it: headings that sort, and a field that finds rows.
"use strict"

const value = cell => cell?.dataset.value ?? cell?.textContent.trim() ?? ""
const number = text => (/^[-–]?$/.test(text) ? -1 : Number(text.split(" ")[0]))

function compare(left, right) {
  const [one, other] = [number(left), number(right)]
  return Number.isNaN(one) || Number.isNaN(other) ? left.localeCompare(right) : one - other
}

function sortable(table) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells]
  for (const [at, head] of heads.entries()) {
    const button = document.createElement("button")
    button.type = "button"
    button.append(...head.childNodes)
    head.append(button)
    button.addEventListener("click", () => {
      const first = head.classList.contains("number") ? "descending" : "ascending"
      const other = first === "ascending" ? "descending" : "ascending"
      const order = head.getAttribute("aria-sort") === first ? other : first
      heads.forEach(each => each.removeAttribute("aria-sort"))
      head.setAttribute("aria-sort", order)
      const sign = order === "ascending" ? 1 : -1
      const rows = [...body.rows].map((row, place) => ({row, place, value: value(row.cells[at])}))
      rows.sort((one, two) => sign * compare(one.value, two.value) || one.place - two.place)
      body.append(...rows.map(each => each.row))
    })
  }
}

function finder(input) {
  const plain = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  input.closest("label").hidden = false
  input.addEventListener("input", () => {
    const wanted = plain(input.value.trim())
    for (const row of document.querySelectorAll("table[data-sortable] tbody tr")) {
      row.hidden = !plain(row.cells[0].textContent).includes(wanted)
    }
  })
}

document.querySelectorAll("table[data-sortable]").forEach(sortable)
document.querySelectorAll("input[data-find]").forEach(finder)
