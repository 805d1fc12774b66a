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

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("fieldset.order").forEach(sortable)
  document.querySelectorAll("input[data-open]").forEach(opening)
})

// When the server has been stopped, the learner is told, in place of what was asked for.
document.addEventListener("htmx:sendError", event => {
  if (event.detail.target) event.detail.target.textContent = document.body.dataset.offline
})
