// Comfort for pages that work without it: things to sort by dragging or buttons, options chosen by digits, a file opened
// in the editor, and drafts saved while they are typed.
"use strict"

function sortable(field) {
  const list = field.querySelector("ol.sortable"), places = [...field.querySelectorAll("select")]
  if (!list || !places.length) return
  const write = () => [...list.children].forEach((entry, at, all) => {
    places[at].value = entry.dataset.id
    const [up, down] = entry.querySelectorAll("button")
    up.disabled = at === 0
    down.disabled = at === all.length - 1
  })
  const changed = () => { write(); field.dispatchEvent(new Event("input", {bubbles: true})) }
  const move = (entry, by) => {
    const other = by < 0 ? entry.previousElementSibling : entry.nextElementSibling
    if (other) (by < 0 ? other : entry).before(by < 0 ? entry : other)
    changed()
  }
  for (const entry of list.children) {
    entry.draggable = true
    for (const button of entry.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        move(entry, Number(button.dataset.by))
        entry.querySelector(button.disabled ? "button:enabled" : `[data-by="${button.dataset.by}"]`)?.focus()
      })
    }
    entry.addEventListener("dragstart", event => { list.dragged = entry; event.dataTransfer.effectAllowed = "move" })
    entry.addEventListener("dragover", event => {
      event.preventDefault()
      const dragged = list.dragged
      if (!dragged || dragged === entry) return
      const box = entry.getBoundingClientRect()
      entry[event.clientY < box.top + box.height / 2 ? "before" : "after"](dragged)
    })
    entry.addEventListener("drop", event => { event.preventDefault(); changed() })
    entry.addEventListener("dragend", changed)
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
    area.dispatchEvent(new Event("input", {bubbles: true}))
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

// Tabs beside the code; without scripts, all panels are below each other. On a narrow screen the code is one of them.
function tabs(bench) {
  const list = bench.querySelector("[role=tablist]"), all = [...list.children]
  const narrow = matchMedia("(max-width: 60rem)")
  const panel = tab => document.getElementById(tab.getAttribute("aria-controls"))
  let chosen = all.find(tab => "first" in tab.dataset) || all[1]
  const show = (tab, focus) => {
    chosen = tab
    for (const each of all) {
      each.setAttribute("aria-selected", each === tab)
      each.tabIndex = each === tab ? 0 : -1
      panel(each).hidden = each !== tab && (narrow.matches || each !== all[0])
    }
    if (focus) tab.focus()
  }
  const settle = () => show(narrow.matches ? all[0] : chosen === all[0] ? all[1] : chosen)
  list.addEventListener("click", event => {
    if (event.target !== all[0] || narrow.matches) if (all.includes(event.target)) show(event.target)
  })
  list.addEventListener("keydown", event => {
    const shown = all.filter(tab => tab.offsetParent), by = {ArrowLeft: -1, ArrowRight: 1}[event.key]
    if (by) show(shown[(shown.indexOf(event.target) + by + shown.length) % shown.length], true)
  })
  const reported = event => { if (event.detail.target?.id === "report") show(all[2]) }
  for (const name of ["htmx:afterSwap", "htmx:sendError"]) bench.addEventListener(name, reported)
  narrow.addEventListener("change", settle)
  list.hidden = false
  settle()
}

// The divider between the panes, which is moved by pointer or arrow keys; a double click puts it back. Its place is kept.
function divider(bar) {
  const bench = bar.parentElement, value = name => Number(bar.getAttribute(`aria-value${name}`)), middle = value("now")
  const move = place => {
    const at = Math.round(Math.min(value("max"), Math.max(value("min"), place)))
    bar.setAttribute("aria-valuenow", at)
    bench.style.setProperty("--split", `${at}%`)
    try { localStorage.setItem("split", at) } catch { /* it is not kept */ }
  }
  bar.addEventListener("pointerdown", event => bar.setPointerCapture(event.pointerId))
  bar.addEventListener("pointermove", event => {
    const box = bench.getBoundingClientRect()
    if (bar.hasPointerCapture(event.pointerId)) move(100 * (event.clientX - box.left) / box.width)
  })
  bar.addEventListener("dblclick", () => move(middle))
  bar.addEventListener("keydown", event => {
    const by = {ArrowLeft: -2, ArrowRight: 2}[event.key]
    if (by) move(value("now") + by)
  })
  try { move(localStorage.getItem("split") || middle) } catch { /* it is where it always is */ }
  bar.hidden = false
}

// What is typed goes to the server within a second, and again at once when the field or the window is left.
function keeping(form) {
  const shown = form.querySelector(".draft"), said = shown.querySelector("[role=status]")
  const unsaved = shown.querySelector(".unsaved")
  let timer = 0, dirty = false, sending = false, sent = false
  const say = text => { if (said.textContent !== text) said.textContent = text }
  const later = wait => { timer ||= setTimeout(save, wait) }
  async function save() {
    clearTimeout(timer)
    timer = 0
    if (!dirty || sending) return
    dirty = false
    sending = true
    let wait = 1000
    try {
      const answer = await fetch(form.dataset.draft, {method: "POST", body: new URLSearchParams(new FormData(form))})
      const found = answer.status === 200 || answer.status === 400 ? await answer.json() : {}
      if (!found.version) throw new Error(found.problem || shown.dataset.failed)
      form.elements.draft.value = found.version
      say(found.other ? shown.dataset.other : shown.dataset.saved)
    } catch (error) {
      dirty = true
      wait = 5000
      say(error.name === "Error" ? error.message : shown.dataset.failed)
    }
    sending = false
    unsaved.hidden = !dirty
    if (dirty) later(wait)
  }
  form.addEventListener("input", event => {
    if (event.target.type === "file") return
    dirty = true
    sent = false
    unsaved.hidden = false
    later(1000)
  })
  form.addEventListener("focusout", save)
  document.addEventListener("visibilitychange", save)
  form.addEventListener("submit", () => { dirty = false; sent = unsaved.hidden = true; say("") })
  form.addEventListener("htmx:sendError", () => { dirty = true; sent = false; later(5000) })
  addEventListener("beforeunload", event => { if ((dirty || sending) && !sent) event.preventDefault() })
}

// An answer that is changed is no longer the one that was asked about.
function doubted(button) {
  button.form.addEventListener("input", () => {
    button.textContent = button.dataset.changed
    button.value = "answer"
  }, {once: true})
}

// An option that was tried and is not correct cannot be checked again.
function tried(form) {
  const check = form.querySelector("button[value=answer]")
  const update = () => { check.disabled = Boolean(form.querySelector("[data-tried]:checked")) }
  form.addEventListener("change", update)
  update()
}

// The digit of an option chooses it, while one of the options has the focus.
function digits(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const option = event.target.closest("fieldset")?.querySelector(`input[data-digit="${CSS.escape(event.key)}"]`)
  if (!option) return
  option.focus()
  option.click()
}

// The letter shown on a link or a box is its key, except where a letter is text. Ctrl-Enter sends what is being typed, and
// Enter sends the form that waits for a decision, unless something else has the focus.
function shortcuts(event) {
  const typing = event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, .cm-editor")
  const held = event.ctrlKey || event.metaKey
  if (event.key === "Enter" && held && event.target.matches("form.answer textarea")) event.target.form.requestSubmit(event.target.form.querySelector(".button"))
  if (typing || held || event.altKey) return
  if (event.key === "Enter" && event.target.matches("body, main")) document.querySelector("form[data-enter]")?.requestSubmit()
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click()
}

document.addEventListener("keydown", digits)
document.addEventListener("keydown", shortcuts)
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("fieldset[data-missing]").forEach(keyPoints)
  document.querySelectorAll("form[data-points-by-part]").forEach(pointsByPart)
  document.querySelectorAll("form[data-draft]").forEach(keeping)
  document.querySelectorAll("fieldset.order").forEach(sortable)
  document.querySelectorAll("input[data-open]").forEach(opening)
  document.querySelectorAll("[data-tabs]").forEach(tabs)
  document.querySelectorAll("form.answer:has([data-tried])").forEach(tried)
  document.querySelectorAll(".divider").forEach(divider)
  document.querySelectorAll("[data-changed]").forEach(doubted)
})

// When the server has been stopped, the learner is told, in place of what was asked for.
document.addEventListener("htmx:sendError", event => {
  if (event.detail.target) event.detail.target.textContent = document.body.dataset.offline
})
