// Replaces a textarea with an editor for Python. Without this script the textarea is used as it is.
import {basicSetup} from "codemirror"
import {indentWithTab} from "@codemirror/commands"
import {python} from "@codemirror/lang-python"
import {HighlightStyle, indentUnit, syntaxHighlighting} from "@codemirror/language"
import {EditorState, StateEffect, StateField} from "@codemirror/state"
import {Decoration, EditorView, keymap} from "@codemirror/view"
import {tags} from "@lezer/highlight"

// Colours come from the style sheet, which knows light and dark.
const colours = HighlightStyle.define([
  {tag: tags.keyword, class: "code-keyword"},
  {tag: [tags.string, tags.special(tags.string)], class: "code-string"},
  {tag: tags.comment, class: "code-comment"},
  {tag: [tags.number, tags.bool, tags.null], class: "code-number"},
  {tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], class: "code-name"},
])

// Marks are places in the code that the report names: {line, end_line, column, end_column}, columns in characters.
const mark = StateEffect.define()
const marks = StateField.define({
  create: () => Decoration.none,
  update(now, change) {
    now = now.map(change.changes)
    for (const effect of change.effects) if (effect.is(mark)) now = decorations(change.state.doc, effect.value)
    return now
  },
  provide: field => EditorView.decorations.from(field),
})

// Columns count characters, as in Python; JavaScript counts UTF-16 code units.
function offset(doc, line, column) {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return found.from + Math.min([...found.text].slice(0, column).join("").length, found.length)
}

function decorations(doc, places) {
  const made = []
  for (const place of places) {
    if (place.line < 1 || place.line > doc.lines) continue
    const line = doc.line(place.line)
    const kind = place.unfinished ? " unfinished" : ""
    made.push(Decoration.line({class: "marked-line" + kind}).range(line.from))
    const from = offset(doc, place.line, place.column), to = offset(doc, place.end_line, place.end_column)
    if (from < to) made.push(Decoration.mark({class: "marked-part" + kind}).range(from, to))
  }
  return Decoration.set(made, true)
}

function start(area) {
  const view = new EditorView({
    doc: area.value,
    extensions: [
      // Before the basic set-up, in which Mod-Enter inserts a line.
      keymap.of([{key: "Mod-Enter", run: () => (area.form.requestSubmit(), true)}, indentWithTab]),
      basicSetup,
      python(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      syntaxHighlighting(colours),
      marks,
      EditorView.cspNonce.of(area.dataset.nonce || ""),
      EditorView.contentAttributes.of({"aria-label": area.getAttribute("aria-label") || "", spellcheck: "false", tabindex: "0"}),
      EditorView.updateListener.of(update => {
        if (!update.docChanged) return
        area.value = update.state.doc.toString()
        area.dispatchEvent(new Event("input", {bubbles: true}))
      }),
    ],
  })
  area.after(view.dom)
  area.hidden = true
  area.editor = view
}

function show(root) {
  for (const area of root.querySelectorAll("textarea[data-editor]")) if (!area.editor) start(area)
  const report = root.querySelector("[data-marks]") || document.querySelector("[data-marks]")
  const area = document.querySelector("textarea[data-editor]")
  if (report && area?.editor) area.editor.dispatch({effects: mark.of(JSON.parse(report.dataset.marks))})
}

// A line that a report quotes leads to its place.
function goTo(event) {
  const place = event.target.closest("[data-line]"), view = document.querySelector("textarea[data-editor]")?.editor
  if (!place || !view) return
  const at = offset(view.state.doc, Number(place.dataset.line), 0)
  view.dispatch({selection: {anchor: at}, effects: EditorView.scrollIntoView(at, {y: "center"})})
  document.querySelector("[aria-controls=pane-code]")?.click()
  view.focus()
}

document.addEventListener("click", goTo)
document.addEventListener("DOMContentLoaded", () => show(document))
document.addEventListener("htmx:afterSwap", event => show(event.target))
