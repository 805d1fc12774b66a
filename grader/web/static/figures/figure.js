// What all moving figures share: their settings, their drawings, and a few functions of numbers.

export const LEVELS = 24

// Calls `show` with the settings of each figure `name` now and whenever one changes. The drawing replaces the still.
export function moving(name, show) {
  for (const root of document.querySelectorAll(`[data-moving="${name}"]`)) {
    const inputs = [...root.querySelectorAll("input")], words = JSON.parse(root.dataset.words), state = {}
    const stage = root.querySelector(".stage"), said = root.querySelector(".said")
    const frame = svg("svg", {class: "figure"})
    const update = changes => {
      Object.assign(state, changes)
      const settings = Object.fromEntries(
        inputs.map(each => [each.name, each.type === "checkbox" ? each.checked : Number(each.value)]))
      const tell = (input, text) => {
        root.querySelector(`output[name="${input}"]`).textContent = text
        root.querySelector(`input[name="${input}"]`).setAttribute("aria-valuetext", text)
      }
      const say = text => { said.textContent = text.replaceAll(" = ", "\u00a0=\u00a0") }
      show({frame, settings, state, words, tell, say, update})
    }
    root.addEventListener("input", () => update())
    root.querySelectorAll("button[data-do]").forEach(each =>
      each.addEventListener("click", () => update({action: each.dataset.do})))
    stage.replaceChildren(frame)
    update()
  }
}

// An element of a drawing.
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

// Fills the frame with a drawing of this size; `name` is what screen readers say.
export function fill(frame, width, height, name, parts) {
  for (const [key, value] of Object.entries({viewBox: `0 0 ${width} ${height}`, width, height, "aria-label": name}))
    frame.setAttribute(key, value)
  if (!frame.hasAttribute("role")) frame.setAttribute("role", "img")
  frame.replaceChildren(...parts)
}

export const label = (x, y, text, kind = "axis") => svg("text", {class: kind, x, y}, text)

// A matrix of weights as coloured cells with percentages. What is `hidden` has no weight; `at` is the chosen cell.
export function cells({weights, rows, columns, left = 56, top = 24, wide = 44, high = 34, hidden = () => false, at}) {
  const parts = columns.map((each, j) =>
    label(left + (j + 0.5) * wide, top - 8, each, at?.[1] === j ? "axis chosen" : "axis"))
  rows.forEach((each, i) =>
    parts.push(label(left - 8, top + (i + 0.5) * high + 4, each, at?.[0] === i ? "axis end chosen" : "axis end")))
  weights.forEach((row, i) => row.forEach((weight, j) => {
    const x = left + j * wide, y = top + i * high, off = hidden(i, j)
    const kind = off ? "off" : `level${Math.round(weight * LEVELS)}`
    parts.push(svg("g", {"data-row": i, "data-column": j},
      svg("rect", {class: kind, x, y, width: wide - 1, height: high - 1}),
      label(x + wide / 2, y + high / 2 + 4, off ? "–" : Math.round(100 * weight), "cell")))
  }))
  if (at) for (const [kind, by] of [["choice inner", 2], ["choice", 0]])
    parts.push(svg("rect", {
      class: kind, x: left + at[1] * wide + by, y: top + at[0] * high + by,
      width: wide - 1 - 2 * by, height: high - 1 - 2 * by}))
  return parts
}

// Lets pointer and arrow keys choose a cell; Enter, the space bar and a click `act` on it.
export function choosing(frame, rows, columns, {at, choose, act}) {
  if (frame.hasAttribute("tabindex")) return
  frame.setAttribute("tabindex", 0)
  frame.setAttribute("role", "application")
  const go = (i, j) => {
    at = [Math.min(Math.max(i, 0), rows - 1), Math.min(Math.max(j, 0), columns - 1)]
    choose(at)
  }
  const pointed = event => {
    const cell = event.target.closest("[data-row]")
    if (cell) go(Number(cell.dataset.row), Number(cell.dataset.column))
    return cell
  }
  frame.addEventListener("pointerover", pointed)
  frame.addEventListener("click", event => { if (pointed(event)) act?.(at) })
  frame.addEventListener("keydown", event => {
    const by = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key]
    if (!by && !(act && (event.key === "Enter" || event.key === " "))) return
    event.preventDefault()
    if (by) go(at[0] + by[0], at[1] + by[1])
    else act(at)
  })
}

// A text with {names} filled in.
export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name])

// A number with a true minus sign, without one at zero.
export function number(value, digits = 2) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞"
  const text = value.toFixed(digits)
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−")
}

export const percent = share => `${number(100 * share, 1)} %`

export const dot = (a, b) => a.reduce((sum, each, at) => sum + each * b[at], 0)

export const product = (a, b) => a.map(row => b[0].map((_, j) => dot(row, b.map(each => each[j]))))

// Of scores; where all are −∞, there is nothing to choose from, and all weights are 0.
export function softmax(scores) {
  const most = Math.max(...scores)
  if (most === -Infinity) return scores.map(() => 0)
  const shares = scores.map(score => Math.exp(score - most)), total = shares.reduce((a, b) => a + b)
  return shares.map(each => each / total)
}

// Standard normal numbers, the same for the same seed: hashed counters (splitmix) in pairs (Box and Muller).
export function normals(seed, count) {
  const uniform = at => {
    let z = Math.imul(seed * 65537 + at + 1, 0x9e3779b9)
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return (((z ^ (z >>> 16)) >>> 0) + 0.5) / 2 ** 32
  }
  return Array.from({length: count}, (_, at) =>
    Math.sqrt(-2 * Math.log(uniform(2 * at))) * Math.cos(2 * Math.PI * uniform(2 * at + 1)))
}
