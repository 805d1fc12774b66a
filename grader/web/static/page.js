// Comfort for pages that work without it: things to sort by dragging or buttons, and a file opened in the editor.
"use strict"

function sortable(field) {
  const list = field.querySelector("ol.sortable"), places = [...field.querySelectorAll("select")]
  if (!list || !places.length) return
  const write = () => [...list.children].forEach((entry, at) => { places[at].value = entry.dataset.id })
  const move = (entry, by) => {
    const other = by < 0 ? entry.previousElementSibling : entry.nextElementSibling
    if (other) (by < 0 ? other : entry).before(by < 0 ? entry : other)
    write()
  }
  for (const entry of list.children) {
    entry.draggable = true
    for (const button of entry.querySelectorAll("button")) {
      button.addEventListener("click", () => { move(entry, Number(button.dataset.by)); button.focus() })
    }
    entry.addEventListener("dragstart", event => { list.dragged = entry; event.dataTransfer.effectAllowed = "move" })
    entry.addEventListener("dragover", event => {
      event.preventDefault()
      const dragged = list.dragged
      if (!dragged || dragged === entry) return
      const box = entry.getBoundingClientRect()
      entry[event.clientY < box.top + box.height / 2 ? "before" : "after"](dragged)
    })
    entry.addEventListener("drop", event => { event.preventDefault(); write() })
    entry.addEventListener("dragend", write)
  }
  for (const place of places) place.hidden = true
  list.hidden = false
  write()
}

function opening(input) {
  input.closest("label").hidden = false
  input.addEventListener("change", async () => {
    const [file] = input.files, area = document.querySelector("textarea[data-editor]")
    if (!file || !area) return
    const text = await file.text()
    area.value = text
    area.editor?.dispatch({changes: {from: 0, to: area.editor.state.doc.length, insert: text}})
    input.value = ""
  })
}

// Marking: the points of the selection, and no saving without one. The box for 0 points excludes the others.
function keyPoints(field) {
  const boxes = [...field.querySelectorAll("input[name=point]")], none = boxes.find(box => box.value === "0")
  const output = field.querySelector("output"), number = new Intl.NumberFormat("en", {maximumFractionDigits: 2})
  const update = event => {
    if (event?.target === none && none.checked) boxes.forEach(box => { if (box !== none) box.checked = false })
    else if (event?.target.checked) none.checked = false
    const made = boxes.filter(box => box.checked)
    const count = made.filter(box => box !== none).length
    boxes[0].setCustomValidity(made.length ? "" : field.dataset.missing)
    output.hidden = !made.length
    output.textContent = output.dataset.said
      .replace("{points}", number.format(field.dataset.points * count / (boxes.length - 1)))
      .replace("{possible}", output.dataset.possible)
  }
  field.addEventListener("change", update)
  update()
}

// Points by hand: at most those of the part, unless more are allowed.
function pointsByPart(form) {
  const {part, points, beyond} = form.elements
  const update = () => {
    const possible = part.selectedOptions[0]?.dataset.possible
    const bounded = possible !== undefined && !beyond.checked
    points.min = bounded ? 0 : ""
    points.max = bounded ? possible : ""
  }
  form.addEventListener("change", update)
  update()
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("fieldset[data-missing]").forEach(keyPoints)
  document.querySelectorAll("form[data-points-by-part]").forEach(pointsByPart)
  document.querySelectorAll("fieldset.order").forEach(sortable)
  document.querySelectorAll("input[data-open]").forEach(opening)
})

// When the server has been stopped, the learner is told, in place of what was asked for.
document.addEventListener("htmx:sendError", event => {
  if (event.detail.target) event.detail.target.textContent = document.body.dataset.offline
})
