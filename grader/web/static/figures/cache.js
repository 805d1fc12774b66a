// Generation with a KV cache, token by token: what is computed, what is only read, and what it would take without.
import {dot, fill, filled, label, LEVELS, moving, normals, number, product, softmax, svg} from "./figure.js"

const WIDTH = 8, MOST = 8

// One token: all keys and values with its own, and the weights and the output of its query.
export function decode(token, {keys, values}, {q, k, v}) {
  const [[query], [key], [value]] = [q, k, v].map(each => product([token], each))
  const made = {keys: [...keys, key], values: [...values, value]}
  const weights = softmax(made.keys.map(each => dot(query, each) / Math.sqrt(query.length)))
  return {...made, weights, output: product([weights], made.values)[0]}
}

// Multiplications at one step: projections, scores, and the weighted sum; with the cache and without.
export const work = (tokens, width) => ({
  cached: 3 * width ** 2 + 2 * tokens * width, anew: 3 * tokens * width ** 2 + 2 * tokens ** 2 * width})

if (globalThis.document) {
  const matrix = (seed, rows) => Array.from({length: rows}, (_, at) => normals(seed + at, WIDTH))
  const scaled = seed => matrix(seed, WIDTH).map(row => row.map(each => each / Math.sqrt(WIDTH)))
  const tokens = matrix(700, MOST), projections = {q: scaled(720), k: scaled(740), v: scaled(760)}
  moving("cache", ({frame, state, words, say}) => {
    if (state.action === "next") state.steps = Math.min(state.steps + 1, MOST)
    else state.steps = state.action === "again" ? 1 : state.steps ?? 4
    state.action = null
    const {steps} = state
    const {weights} = tokens.slice(0, steps).reduce(
      (made, token) => decode(token, made, projections), {keys: [], values: []})
    const box = (row, at, kind, text) => [
      svg("rect", {class: kind, x: 66 + 34 * at, y: 30 + 36 * row, width: 32, height: 32}),
      label(82 + 34 * at, 50 + 36 * row, text, "cell")]
    const parts = ["q", "k", "v"].flatMap((name, row) => tokens.flatMap((_, at) => {
      if (at >= steps || (!row && at < steps - 1)) return box(row, at, "off", "")
      return box(row, at, at < steps - 1 ? "stored" : "fresh", `${name}${"₁₂₃₄₅₆₇₈"[at]}`)
    }))
    const shares = tokens.flatMap((_, at) => at < steps
      ? box(3, at, `level${Math.round(weights[at] * LEVELS)}`, Math.round(100 * weights[at]))
      : box(3, at, "off", ""))
    const names = words.rows.map((each, row) => label(60, 50 + 36 * row, each, "axis end"))
    const columns = tokens.map((_, at) => label(82 + 34 * at, 20, at + 1))
    const bars = tokens.flatMap((_, at) => {
      if (at >= steps) return []
      const {cached, anew} = work(at + 1, WIDTH), high = count => 90 * count / work(MOST, WIDTH).anew
      return [["theory", anew, 0], ["hue0", cached, 15]].map(([kind, count, by]) => svg("rect", {
        class: `bar ${kind}`, x: 67 + 34 * at + by, y: 310 - high(count), width: 14, height: high(count)}))
    })
    const now = work(steps, WIDTH)
    fill(frame, 340, 350, words.name, [
      ...columns, ...names, ...parts, ...shares, label(202, 202, words.work),
      svg("path", {class: "grid", d: "M66 310H338"}), ...bars,
      svg("rect", {class: "bar theory", x: 40, y: 322, width: 12, height: 12}),
      label(58, 332, words.anew, "axis start"),
      svg("rect", {class: "bar hue0", x: 190, y: 322, width: 12, height: 12}),
      label(208, 332, words.cached, "axis start")])
    say(filled(steps === MOST ? `${words.said} ${words.full}` : words.said, {
      steps, before: steps - 1, cached: number(now.cached, 0), anew: number(now.anew, 0)}))
  })
}
